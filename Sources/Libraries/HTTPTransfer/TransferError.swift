public import Messages
import Linux

/// Why a request got no answer.
public struct TransferError: Error, Hashable, Sendable {
  /// The kind of an error, by what can be done about it.
  public enum Kind: String, Sendable, CaseIterable {
    /// The host's name could not be resolved.
    case resolve
    /// No connection: refused, no route, the socket is missing.
    case connect
    /// The time for connecting ran out, be it in the name, the connection or the TLS handshake.
    case connectTimeout
    /// The TLS handshake was cut or could not be agreed on.
    case tlsHandshake
    /// The two sides have no version of TLS in common.
    case tlsVersion
    /// The certificate is not trusted or is for another name, or the file of authorities cannot be read.
    case tlsCertificate
    /// The certificate is not valid yet by the clock here, which may be wrong.
    case tlsNotYetValid
    /// The server does not accept the certificate of this side or misses one, or it cannot be used.
    case clientCertificate
    /// The proxy could not be found or would not connect.
    case proxy
    /// Connected, but no byte moved for the stall time-out.
    case stalled
    /// The total time-out ran out after the connection stood.
    case timeout
    /// The connection was lost before the answer was complete.
    case connectionLost
    /// The answer is no HTTP answer.
    case badResponse
    /// The request cannot be sent as it stands; nothing was sent.
    case badRequest
    /// The body's file could not be read, or ended before the length that was promised.
    case readFailed
    /// The answer's header fields are larger than is kept.
    case tooLarge
    /// The caller's task was cancelled, the stream was let go, or the transport was shut down.
    case cancelled
    /// No memory.
    case outOfMemory
    /// Anything else; the code says what.
    case other
  }

  /// The kind of the error.
  public var kind: Kind
  /// libcurl's code (`CURLcode`), or 0 where libcurl was not the one to fail.
  public var code: Int32
  /// The errno of the connection or file, or 0.
  public var osError: Int32
  /// The error: what happened, and to which peer. It may repeat text from the server, so escape it before showing it.
  public var message: Message
  /// True if bytes of the request left this side, so that the server may have acted on it.
  public var requestMayHaveArrived: Bool

  /// The error in English.
  public var words: String { message.text }

  /// An error in words that have no code.
  public init(
    _ kind: Kind, _ words: String, code: Int32 = 0, osError: Int32 = 0, requestMayHaveArrived: Bool = false
  ) {
    self.init(kind, .text(words), code: code, osError: osError, requestMayHaveArrived: requestMayHaveArrived)
  }

  /// An error with its message.
  public init(
    _ kind: Kind, _ message: Message, code: Int32 = 0, osError: Int32 = 0, requestMayHaveArrived: Bool = false
  ) {
    self.kind = kind
    self.message = message
    self.code = code
    self.osError = osError
    self.requestMayHaveArrived = requestMayHaveArrived
  }

  static func badRequest(_ words: String) -> TransferError { TransferError(.badRequest, .text(words)) }

  static func cancelled(requestMayHaveArrived: Bool) -> TransferError {
    TransferError(.cancelled, "the transfer was cut off", requestMayHaveArrived: requestMayHaveArrived)
  }

  static let shutDown = TransferError(.cancelled, "the transport was shut down")

  init(_ error: ThreadError) { self.init(.other, .text(error.description), osError: error.code) }

  /// The system's words for an errno.
  static func text(_ code: Int32) -> String { ErrorNumber(code).reason }
}
