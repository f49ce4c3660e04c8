public import Messages
import Linux

/// The reason why a request got no answer.
public struct TransferError: Error, Hashable, Sendable {
  /// The kind of an error, by its remedy.
  public enum Kind: String, Sendable, CaseIterable {
    /// The host's name could not be resolved.
    case resolve
    /// No connection: it was refused, there is no route, or the socket does not exist.
    case connect
    /// The time for name resolution, connection and TLS handshake ran out.
    case connectTimeout
    /// The TLS handshake was interrupted or failed.
    case tlsHandshake
    /// Client and server have no TLS version in common.
    case tlsVersion
    /// The server speaks plain HTTP at this port, and no TLS.
    case tlsPlain
    /// The server's certificate is not trusted or has another name, or the file of authorities cannot be read.
    case tlsCertificate
    /// The server's certificate is not valid yet, according to the clock here, which may be wrong.
    case tlsNotYetValid
    /// The server requires a client certificate or refuses it, or the certificate cannot be used.
    case clientCertificate
    /// The proxy could not be found, or refused to connect.
    case proxy
    /// The connection was established, but no byte was transferred during the stall time-out.
    case stalled
    /// The total time-out ended after the connection was established.
    case timeout
    /// The connection was lost before the answer was complete.
    case connectionLost
    /// The answer is not an HTTP answer.
    case badResponse
    /// The request cannot be sent unchanged; nothing was sent.
    case badRequest
    /// The body's file could not be read, or ended before its given length.
    case readFailed
    /// The answer's header fields are larger than the limit.
    case tooLarge
    /// The caller's task was cancelled, the stream was released, or the transport was shut down.
    case cancelled
    /// There is not enough memory.
    case outOfMemory
    /// Any other error; the code tells which.
    case other
  }

  /// The kind of the error.
  public var kind: Kind
  /// libcurl's code (`CURLcode`), or 0 if libcurl did not fail.
  var code: Int32
  /// The errno of the connection or file, or 0.
  public var osError: Int32
  /// The text of the error, with the destination. It may repeat text from the server, so escape it before showing it.
  public var message: Message
  /// True if bytes of the request were sent, so that the server may have acted on it.
  public var requestMayHaveArrived: Bool

  /// The error in English.
  public var words: String { message.text }

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

  static func badRequest(_ words: String) -> TransferError { TransferError(.badRequest, .requestUnfit(why: words)) }

  static func cancelled(requestMayHaveArrived: Bool) -> TransferError {
    TransferError(.cancelled, .transferCutOff, requestMayHaveArrived: requestMayHaveArrived)
  }

  static let shutDown = TransferError(.cancelled, .transportShutDown)

  init(_ error: FileError) { self.init(.other, .otherError(why: "\(error)"), osError: error.errno) }
}

extension Error {
  /// True if the task was cancelled or the transport shut down.
  package var isCancellation: Bool { self is CancellationError || (self as? TransferError)?.kind == .cancelled }
}
