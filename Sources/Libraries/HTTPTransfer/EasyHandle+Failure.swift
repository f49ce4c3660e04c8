import CCurl
import Linux
import Messages

extension EasyHandle {
  /// True if bytes of the request itself (not of a proxy's CONNECT) were sent.
  var requestMayHaveArrived: Bool { microseconds(CURLINFO_PRETRANSFER_TIME_T) > 0 && fact(CURLINFO_REQUEST_SIZE) > 0 }

  /// The code of an answer whose body is in an encoding that libcurl cannot decode.
  static let undecodable = Int32(CURLE_BAD_CONTENT_ENCODING.rawValue)

  /// Returns the error of a finished transfer; nil for a success.
  func failure(_ code: CURLcode, _ request: HTTPRequest) -> TransferError? {
    guard code != CURLE_OK else { return nil }
    let kind = kind(code, request)
    let osError = Int32(truncatingIfNeeded: fact(CURLINFO_OS_ERRNO))
    return TransferError(
      kind, message(kind, code, osError, request), code: Int32(code.rawValue), osError: osError,
      requestMayHaveArrived: requestMayHaveArrived)
  }

  /// True if the connection was established, including the TLS handshake.
  private var wasConnected: Bool { microseconds(CURLINFO_PRETRANSFER_TIME_T) > 0 }

  private func kind(_ code: CURLcode, _ request: HTTPRequest) -> TransferError.Kind {
    switch code {
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT: .clientCertificate
    // With TLS 1.3 the server's refusal comes after the handshake, instead of an answer.
    case _ where isClientCertificateRefused: .clientCertificate
    case CURLE_COULDNT_RESOLVE_HOST: .resolve
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .proxy
    case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_NO_CONNECTION_AVAILABLE: .connect
    case CURLE_OPERATION_TIMEDOUT: timeoutKind(request)
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED:
      hasNoCommonTLSVersion ? .tlsVersion : isAnsweredWithoutTLS ? .tlsPlain : .tlsHandshake
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      isNotYetValid ? .tlsNotYetValid : .tlsCertificate
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SEND_FAIL_REWIND:
      lossKind(request)
    case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: .badResponse
    // libcurl has the same code for a URL with another scheme and for an answer that is not HTTP.
    case CURLE_UNSUPPORTED_PROTOCOL: wasConnected ? .badResponse : .badRequest
    case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_LOGIN_DENIED: .badRequest
    // libcurl reports a header line beyond its limit as a lack of memory.
    case CURLE_OUT_OF_MEMORY: wasConnected ? .tooLarge : .outOfMemory
    default: .other
    }
  }

  /// True if the handshake failed because of the TLS version. libcurl has no code for it. These are the words of OpenSSL and
  /// GnuTLS for the server's alert (`protocol_version`, RFC 8446, section 6.2) and for their own refusal.
  private var hasNoCommonTLSVersion: Bool {
    says("protocol version", "unsupported protocol", "version too low", "unsupported version")
  }

  /// True if the handshake was answered without TLS, as by a port for HTTP. These are the words of OpenSSL and GnuTLS.
  private var isAnsweredWithoutTLS: Bool {
    says("wrong version number", "packet length too long", "unexpected tls packet")
  }

  /// True if the certificate is not valid yet. These are the words of OpenSSL (X509_V_ERR_CERT_NOT_YET_VALID) and GnuTLS.
  private var isNotYetValid: Bool { says("not yet valid") }

  /// True if the server sent an alert that it requires a client certificate, or another one (RFC 8446, section 6.2). Such an
  /// alert never concerns the server's own certificate. These are the words of OpenSSL and GnuTLS.
  private var isClientCertificateRefused: Bool {
    says("alert")
      && says(
        "bad certificate", "certificate is bad", "unsupported certificate", "certificate is not supported",
        "certificate revoked", "certificate was revoked", "certificate expired", "certificate is expired",
        "certificate unknown", "unknown certificate", "unknown ca", "ca is unknown", "certificate required",
        "certificate is required", "access denied", "access was denied",
      )
  }

  private func says(_ some: String...) -> Bool {
    let words = errorWords.lowercased()
    return some.contains { words.contains($0) }
  }

  private func timeoutKind(_ request: HTTPRequest) -> TransferError.Kind {
    guard wasConnected else { return .connectTimeout }
    guard let total = request.totalTimeout else { return .stalled }
    let elapsed = Duration.microseconds(microseconds(CURLINFO_TOTAL_TIME_T))
    // The timer may fire up to a millisecond early.
    return elapsed + .milliseconds(2) >= total ? .timeout : .stalled
  }

  private func lossKind(_ request: HTTPRequest) -> TransferError.Kind {
    guard !wasConnected else { return .connectionLost }
    let proxyStatus = fact(CURLINFO_HTTP_CONNECTCODE)
    if proxyStatus != 0, !(200..<300).contains(proxyStatus) { return .proxy }
    return request.url.utf8.starts(with: "https:".utf8) ? .tlsHandshake : .connect
  }

  private func message(
    _ kind: TransferError.Kind, _ code: CURLcode, _ osError: Int32, _ request: HTTPRequest
  ) -> Message {
    let peer = request.peer
    let isPlain = request.url.utf8.starts(with: "http:".utf8)
    let detail = unsafe errorWords.isEmpty ? String(cString: curl_easy_strerror(code)) : errorWords
    switch kind {
    case .resolve: return .nameUnresolved(peer: peer)
    case .connect where osError != 0:
      let reason = ErrorNumber(osError).reason
      // libcurl names the host that it tried, which may be the proxy's.
      let isDirect = request.unixSocket != nil || detail.contains(peer.prefix { $0 != ":" })
      return isDirect
        ? .noConnection(peer: peer, why: reason) : .noConnectionOf(peer: peer, why: reason, detail: detail)
    case .connect: return .noConnection(peer: peer, why: detail)
    case .connectTimeout: return .noConnectionWithin(peer: peer, limit: request.connectTimeout)
    case .tlsHandshake: return .tlsFailed(peer: peer, why: detail)
    case .tlsVersion: return .tlsVersion(peer: peer, why: detail)
    case .tlsPlain: return .tlsPlain(peer: peer, why: detail)
    case .tlsCertificate where code == CURLE_SSL_CACERT_BADFILE:
      return .authoritiesUnreadable(file: request.caFile ?? "the system's file")
    case .tlsCertificate: return .certificateRefused(peer: peer, why: detail)
    case .tlsNotYetValid: return .certificateNotYetValid(peer: peer, why: detail)
    case .clientCertificate where code == CURLE_SSL_CERTPROBLEM:
      return .clientCertificateUnusable(peer: peer, why: detail)
    case .clientCertificate where request.identity == nil: return .clientCertificateWanted(peer: peer, why: detail)
    case .clientCertificate: return .clientCertificateRefused(peer: peer, why: detail)
    case .proxy: return .noWayThroughProxy(peer: peer, why: detail)
    case .stalled: return .stalled(peer: peer, time: request.stallTimeout ?? .zero)
    case .timeout: return .noAnswerWithin(peer: peer, time: request.totalTimeout ?? .zero)
    // OpenSSL sends no alert to a peer that speaks plain HTTP, and closes the connection.
    case .connectionLost where isPlain && request.unixSocket == nil && fact(CURLINFO_RESPONSE_CODE) == 0:
      return .connectionLostWithoutTls(peer: peer, why: detail)
    case .connectionLost: return .connectionLost(peer: peer, why: detail)
    // An alert of TLS is to libcurl an answer in HTTP/0.9, as is any other answer that is not HTTP.
    case .badResponse where detail.contains("HTTP/0.9") && isPlain:
      return .tlsWanted(peer: peer, why: detail)
    case .badResponse: return .notHttp(peer: peer, why: detail)
    case .badRequest: return .requestCannotBeSent(why: detail)
    case .tooLarge: return .headerTooLong(peer: peer)
    case .outOfMemory: return .noMemoryForTransfer
    case .readFailed, .cancelled, .other: return .transferFailed(peer: peer, why: detail)
    }
  }
}
