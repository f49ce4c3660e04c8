/// A request, with its time limits.
///
/// Only what is set here is sent, with `Host` and `Content-Length`: no other `User-Agent`, `Accept`, `Content-Type` or `Expect`,
/// because a signed request must send exactly what was signed.
public struct HTTPRequest: Sendable {
  /// The body of a request.
  public enum Body: Sendable {
    /// No body. A POST, PUT or PATCH then sends `Content-Length: 0` (RFC 9110, 8.6).
    case none
    /// Bytes in memory, preferably at most 256 KiB.
    case bytes([UInt8])
    /// A part of a file, read while it is sent. If the file ends early, the transfer fails.
    case file(BodyFile, offset: Int64, length: Int64)
  }

  /// The method of a request of which nothing is sent: name resolution, connection and TLS handshake are its success, with status 0.
  public static let onlyConnects = "CONNECT"

  /// The properties that it shares with all requests of its kind.
  public private(set) var shape: RequestShape
  /// An absolute `http` or `https` URL, percent-encoded; its path is sent unchanged. User names in it are refused.
  public var url: String
  /// The header fields besides `Host` and `Content-Length`.
  public var headers: [HTTPHeader]
  /// The bytes to send.
  public var body: Body
  /// The maximum number of bytes of the answer's body that ``Transport/send(_:)`` keeps.
  public var bodyLimit: Int
  /// True if its body counts against the ``Transport``'s limit of bytes per second.
  public var isPaced: Bool
  /// True if sending its body takes long. At most half of the requests in flight are like this; others may overtake those that
  /// wait.
  public var isLarge: Bool
  /// The counter of the bytes that are sent from a file.
  public var sent: SentBytes?

  /// A request of a kind.
  public init(
    _ shape: RequestShape, url: String, headers: [HTTPHeader] = [], body: Body = .none, bodyLimit: Int = 64 << 10,
    isPaced: Bool = false, isLarge: Bool = false, sent: SentBytes? = nil
  ) {
    self.shape = shape
    self.url = url
    self.headers = headers
    self.body = body
    self.bodyLimit = bodyLimit
    self.isPaced = isPaced
    self.isLarge = isLarge
    self.sent = sent
  }

  /// A request. Without time limits for stalls, the answer or the whole transfer, it waits for ever.
  public init(
    method: String, url: String, headers: [HTTPHeader] = [], body: Body = .none, bodyLimit: Int = 64 << 10,
    connectTimeout: Duration = .seconds(10), stallTimeout: Duration? = nil, totalTimeout: Duration? = nil,
    answerTimeout: Duration? = nil, caFile: String? = nil, identity: ClientIdentity? = nil, proxy: Proxy? = nil,
    unixSocket: String? = nil, mayBeRepeated: Bool = true, isPaced: Bool = false, isLarge: Bool = false,
    sent: SentBytes? = nil
  ) {
    self.init(
      RequestShape(
        method: method, connectTimeout: connectTimeout, stallTimeout: stallTimeout, totalTimeout: totalTimeout,
        answerTimeout: answerTimeout, caFile: caFile, identity: identity, proxy: proxy, unixSocket: unixSocket,
        mayBeRepeated: mayBeRepeated),
      url: url, headers: headers, body: body, bodyLimit: bodyLimit, isPaced: isPaced, isLarge: isLarge, sent: sent)
  }
}

/// The properties that a request shares with others. A change of one gives it a shape of its own.
extension HTTPRequest {
  /// The method, e.g. `PUT`.
  public var method: String {
    get { shape.options.method }
    set { change { $0.method = newValue } }
  }

  /// The maximum time for name resolution, connection and TLS handshake together.
  public var connectTimeout: Duration {
    get { shape.options.connectTimeout }
    set { change { $0.connectTimeout = newValue } }
  }

  /// The maximum time without any transferred byte. libcurl counts in whole seconds, and may notice it up to 5 s late.
  public var stallTimeout: Duration? {
    get { shape.options.stallTimeout }
    set { change { $0.stallTimeout = newValue } }
  }

  /// The maximum time from the start of the transfer to its end. Waiting for a place in the queue does not count.
  public var totalTimeout: Duration? {
    get { shape.options.totalTimeout }
    set { change { $0.totalTimeout = newValue } }
  }

  /// The maximum time from the end of the request to the end of its answer. It limits answers that arrive byte by byte.
  public var answerTimeout: Duration? {
    get { shape.options.answerTimeout }
    set { change { $0.answerTimeout = newValue } }
  }

  /// A PEM file with the only certificate authorities to trust, instead of the system's.
  public var caFile: String? {
    get { shape.options.caFile }
    set { change { $0.caFile = newValue } }
  }

  /// The client certificate; nil for none.
  public var identity: ClientIdentity? {
    get { shape.options.identity }
    set { change { $0.identity = newValue } }
  }

  /// The way to the server; nil for the proxies that the environment names.
  var proxy: Proxy? { shape.options.proxy }

  /// The path of a Unix socket to connect to, instead of the URL's host. Proxies do not apply then.
  public var unixSocket: String? {
    get { shape.options.unixSocket }
    set { change { $0.unixSocket = newValue } }
  }

  /// False if libcurl must not repeat the request by itself. Then the request gets a new connection, because libcurl repeats a
  /// request if a kept connection turns out to be dead.
  public var mayBeRepeated: Bool {
    get { shape.options.mayBeRepeated }
    set { change { $0.mayBeRepeated = newValue } }
  }

  private mutating func change(_ body: (inout RequestShape.Options) -> Void) {
    var options = shape.options
    body(&options)
    shape = RequestShape(options)
  }
}
