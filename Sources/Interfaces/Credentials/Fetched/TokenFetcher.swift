import FoundationEssentials
import HTTPTransfer
import Jobs
import Messages

/// Gets tokens from an OAuth 2 token endpoint (RFC 6749, section 4.4).
final class TokenFetcher: Sendable {
  private let client: OAuthClient
  private let now: @Sendable () -> Timestamp
  private let transport = OwnTransport()
  /// The reader of the client's secret; nil if it authenticates by its certificate.
  private let secret: CredentialReader?
  private let certificate: LiveCertificate?

  /// - Parameter notice: called once when changed files of a certificate cannot be used.
  init(
    _ client: OAuthClient, environment: [String: String], now: @escaping @Sendable () -> Timestamp,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.client = client
    self.now = now
    func reader(_ source: CredentialSource, _ form: Secret.Form = .line) -> CredentialReader {
      CredentialReader(source, form: form, environment: environment)
    }
    certificate = client.clientCertificate.map { LiveCertificate($0, notice: notice, reader: reader) }
    secret =
      switch client.proof {
      case .basic(let source), .post(let source): reader(source)
      case .certificate: nil
      }
  }

  func token() async throws(KeyFault) -> FetchedCredential {
    var hidden: [String] = []
    let place = Message.tokenEndpoint(url: DisplayText.escape(client.place))
    let response = try await transport.send(try request(hiding: &hidden), to: place) { kind in
      kind == .clientCertificate ? .seeOauth(setting: "client_cert") : .seeWayToUrl
    }
    return try TokenAnswer(response: response, now: now(), place: place, mask: SecretMask(hidden)).token()
  }

  private func reading<T>(_ read: () throws(CredentialError) -> T) throws(KeyFault) -> T {
    do throws(CredentialError) {
      return try read()
    } catch {
      throw KeyFault(error)
    }
  }

  /// Makes the request; appends the secrets in it to `hidden`.
  private func request(hiding hidden: inout [String]) throws(KeyFault) -> HTTPRequest {
    var headers = [
      HTTPHeader("Accept", "application/json"), HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
    ]
    var form: [(name: String, value: String?)] = [
      ("grant_type", "client_credentials"), ("scope", client.scope), ("audience", client.audience),
    ]
    let text = try reading { () throws(CredentialError) in try secret?.read().text ?? "" }
    hidden.append(text)
    switch client.proof {
    case .basic:
      // Both are encoded as in a form first (RFC 6749, section 2.3.1).
      let pair = "\(PercentEncoding.component(client.clientID)):\(PercentEncoding.component(text))"
      let value = "Basic \(Data(pair.utf8).base64EncodedString())"
      hidden.append(value)
      headers.append(HTTPHeader("Authorization", value))
    case .post: form += [("client_id", client.clientID), ("client_secret", text)]
    case .certificate: form.append(("client_id", client.clientID))
    }
    let shape = RequestShape(
      method: "POST", connectTimeout: OwnTransport.timeout, totalTimeout: OwnTransport.timeout, caFile: client.caFile,
      identity: try reading { () throws(CredentialError) in try certificate?.read() })
    return HTTPRequest(
      shape, url: client.url, headers: headers, body: .bytes(OwnTransport.form(form)), bodyLimit: OwnTransport.limit)
  }
}
