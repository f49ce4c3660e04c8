/// The properties that all requests of one kind to one destination share, e.g. all uploads to a storage.
///
/// Its owner keeps the object, so that requests refer to it instead of having ten values each, and are recognized by reference as of the
/// same kind. Objects with the same values are equal too.
public final class RequestShape: Sendable {
  /// The values.
  public struct Options: Equatable, Sendable {
    /// The method, e.g. `PUT`.
    public var method: String
    /// The maximum time for name resolution, connection and TLS handshake together.
    public var connectTimeout: Duration
    /// The maximum time without any transferred byte. libcurl counts in whole seconds, and may be up to 5 s late.
    public var stallTimeout: Duration?
    /// The maximum time from the start of the transfer to its end. Waiting for a place in the queue does not count.
    public var totalTimeout: Duration?
    /// The maximum time from the end of the request to the end of its answer. It limits answers that arrive byte by byte.
    public var answerTimeout: Duration?
    /// A PEM file with the only certificate authorities to trust, instead of the system's.
    public var caFile: String?
    /// The client certificate; nil for none.
    public var identity: ClientIdentity?
    /// True to connect without the proxies that the environment names.
    public var isDirect: Bool
    /// The path of a Unix socket to connect to, instead of the URL's host. Proxies do not apply then.
    public var unixSocket: String?
    /// False if libcurl must not repeat the request by itself. Then the request gets a new connection, because libcurl repeats a
    /// request if a kept connection turns out to be dead.
    public var mayBeRepeated: Bool
  }

  let options: Options
  /// The reason why no request of this shape can be sent; nil if they can. It is found once, not for each request.
  let fault: TransferError?

  init(_ options: Options) {
    self.options = options
    fault = options.fault
  }

  /// A shape of requests. Without time limits for stalls, the answer or the whole transfer, they wait for ever.
  public convenience init(
    method: String, connectTimeout: Duration = .seconds(10), stallTimeout: Duration? = nil,
    totalTimeout: Duration? = nil, answerTimeout: Duration? = nil, caFile: String? = nil,
    identity: ClientIdentity? = nil, isDirect: Bool = false, unixSocket: String? = nil, mayBeRepeated: Bool = true
  ) {
    self.init(
      Options(
        method: method, connectTimeout: connectTimeout, stallTimeout: stallTimeout, totalTimeout: totalTimeout,
        answerTimeout: answerTimeout, caFile: caFile, identity: identity, isDirect: isDirect, unixSocket: unixSocket,
        mayBeRepeated: mayBeRepeated))
  }
}

extension RequestShape: Equatable {
  /// Two are equal if they are the same object, or have the same values.
  public static func == (one: RequestShape, other: RequestShape) -> Bool {
    one === other || one.options == other.options
  }
}

/// A client certificate and its key, for TLS.
///
/// A kept connection was made with one identity, and libcurl uses it for no other. So identities are compared by reference.
public final class ClientIdentity: Sendable, Equatable {
  /// The certificate, followed by those of its issuers (PEM).
  let certificate: [UInt8]
  /// Its private key (PEM).
  let key: [UInt8]

  /// An identity from PEM texts that belong together.
  public init(certificate: [UInt8], key: [UInt8]) {
    self.certificate = certificate
    self.key = key
  }

  /// Two are equal if they are the same object.
  public static func == (one: ClientIdentity, other: ClientIdentity) -> Bool { one === other }
}

/// The options of an easy handle that requests share, so that they need not be set again.
///
/// Setting all of them costs as much as libcurl's own work for a small request.
struct HandleOptions: Equatable {
  private let hasBody: Bool
  private let readsFile: Bool
  private let shape: RequestShape

  init(_ request: HTTPRequest) {
    if case .none = request.body { hasBody = false } else { hasBody = true }
    if case .file = request.body { readsFile = true } else { readsFile = false }
    shape = request.shape
  }
}
