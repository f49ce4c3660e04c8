/// A request, and the times that its parts may take.
///
/// Only what stands here is sent, with `Host` and `Content-Length`: no `User-Agent`, `Accept`, `Content-Type` or
/// `Expect` that was not given, because signed requests must send exactly what was signed.
public struct HTTPRequest: Sendable {
  /// The bytes that go with a request.
  public enum Body: Sendable {
    /// Nothing. A POST, PUT or PATCH says `Content-Length: 0` then (RFC 9110, 8.6).
    case none
    /// Bytes in memory, at best up to 256 KiB.
    case bytes([UInt8])
    /// A part of a file, read while it is sent. A file that ends short fails the transfer.
    case file(BodyFile, offset: Int64, length: Int64)
    /// The bytes of a file from an offset on, within a frame that says how many there are.
    case framed(BodyFile, offset: Int64, any BodyFrame)
  }

  /// The method, e.g. `PUT`.
  public var method: String
  /// An absolute `http` or `https` URL, percent-encoded; its path is sent as it stands. User names in it are refused.
  public var url: String
  /// The header fields beside `Host` and `Content-Length`.
  public var headers: [HTTPHeader]
  /// The bytes to send.
  public var body: Body
  /// The most bytes of the answer's body that ``Transport/send(_:)`` keeps.
  public var bodyLimit: Int
  /// The time for name, connection and TLS handshake together.
  public var connectTimeout: Duration
  /// The longest time in which no byte moves; libcurl counts in whole seconds, and notices up to 5 s late.
  public var stallTimeout: Duration?
  /// The longest time from the start of the transfer to its end; the wait for a free connection does not count.
  public var totalTimeout: Duration?
  /// The longest time from the end of the request to the end of its answer. It bounds answers that come byte by byte.
  public var answerTimeout: Duration?
  /// A PEM file with the only certificate authorities to trust, instead of the system's.
  public var caFile: String?
  /// The certificate that the server is shown; nil for none.
  public var identity: ClientIdentity?
  /// The way to the server; nil for the proxies that the environment names.
  public var proxy: Proxy?
  /// The path of a Unix socket to connect to, instead of the URL's host. Proxies do not apply then.
  public var unixSocket: String?

  /// False if libcurl must not send the request twice by itself. Then the request gets a new connection, because
  /// libcurl repeats a request if a kept connection turns out to be dead.
  public var mayBeRepeated: Bool

  /// True if its body counts against the ``Transport``'s limit of bytes a second.
  public var isPaced: Bool
  /// True if its body takes long. At most half of the requests in flight are like this; others go past the waiting
  /// ones.
  public var isLarge: Bool
  /// The counter of the bytes that go out of a file.
  public var sent: SentBytes?

  /// A request; without a time-out for stalls, answer or all it waits for ever.
  public init(
    method: String, url: String, headers: [HTTPHeader] = [], body: Body = .none, bodyLimit: Int = 64 << 10,
    connectTimeout: Duration = .seconds(10), stallTimeout: Duration? = nil, totalTimeout: Duration? = nil,
    answerTimeout: Duration? = nil, caFile: String? = nil, identity: ClientIdentity? = nil, proxy: Proxy? = nil,
    unixSocket: String? = nil, mayBeRepeated: Bool = true, isPaced: Bool = false, isLarge: Bool = false,
    sent: SentBytes? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.bodyLimit = bodyLimit
    self.connectTimeout = connectTimeout
    self.stallTimeout = stallTimeout
    self.totalTimeout = totalTimeout
    self.answerTimeout = answerTimeout
    self.caFile = caFile
    self.identity = identity
    self.proxy = proxy
    self.unixSocket = unixSocket
    self.mayBeRepeated = mayBeRepeated
    self.isPaced = isPaced
    self.isLarge = isLarge
    self.sent = sent
  }
}
