public import Linux

/// A request, with its time limits.
///
/// Only what is set here is sent, with `Host` and `Content-Length`: no other `User-Agent`, `Accept`, `Content-Type` or `Expect`,
/// because a signed request must send exactly what was signed.
@dynamicMemberLookup public struct HTTPRequest: Sendable {
  /// The body of a request.
  public enum Body: Sendable {
    /// No body. A POST, PUT or PATCH then sends `Content-Length: 0` (RFC 9110, 8.6).
    case none
    /// Bytes in memory, preferably at most 256 KiB.
    case bytes([UInt8])
    /// A range of a file, read while it is sent. If the file ends early, the transfer fails.
    case file(OpenFile, offset: Int64, length: Int64)

    /// The number of bytes.
    public var count: Int64 {
      switch self {
      case .none: 0
      case .bytes(let bytes): Int64(bytes.count)
      case .file(_, _, let length): length
      }
    }
  }

  /// The method of a request that sends nothing: it succeeds, with status 0, after name resolution, connection and TLS handshake.
  public static let onlyConnects = "CONNECT"

  /// The properties that all requests of this kind share.
  public private(set) var shape: RequestShape
  /// An absolute `http` or `https` URL, percent-encoded; its path is sent unchanged. User names in it are refused.
  public var url: String
  /// The header fields besides `Host` and `Content-Length`.
  public var headers: [HTTPHeader]
  /// The bytes to send.
  public var body: Body
  /// The maximum number of bytes of the answer's body that ``Transport/send(_:)`` keeps; of a failure at most 64 KiB.
  public var bodyLimit: Int
  /// True if the body counts against the ``Transport``'s limit of bytes per second.
  public var isPaced = false
  /// True if sending the body takes long. At most about half of the requests in flight are such; others may overtake those that wait.
  public var isLarge = false
  /// The counter of the bytes that are sent from a file.
  public var sent: SentBytes?

  /// A request of a kind.
  public init(
    _ shape: RequestShape, url: String, headers: [HTTPHeader] = [], body: Body = .none, bodyLimit: Int = 64 << 10
  ) {
    self.shape = shape
    self.url = url
    self.headers = headers
    self.body = body
    self.bodyLimit = bodyLimit
  }

  /// A request with the usual options. It waits for ever.
  public init(
    method: String, url: String, headers: [HTTPHeader] = [], body: Body = .none, bodyLimit: Int = 64 << 10
  ) {
    self.init(RequestShape(method: method), url: url, headers: headers, body: body, bodyLimit: bodyLimit)
  }
}

/// The properties that a request shares with others of its kind. A change of one gives the request its own shape.
extension HTTPRequest {
  /// A property of the shape.
  public subscript<Value>(dynamicMember path: WritableKeyPath<RequestShape.Options, Value>) -> Value {
    get { shape.options[keyPath: path] }
    set {
      var options = shape.options
      options[keyPath: path] = newValue
      shape = RequestShape(options)
    }
  }
}

/// The traits of a request that decide when its turn comes, before it is built.
public struct RequestTraits: Hashable, Sendable {
  /// The server, e.g. its host: long bodies are distributed fairly among servers.
  public var peer: String
  /// True if sending the body takes long (``HTTPRequest/isLarge``).
  public var isLarge: Bool
  /// The bytes of a body in memory that count against the limit of bytes per second. Those of a file count when they are sent.
  public var pacedBytes: Int
  /// The name of the limit of requests a second (``RequestRates``) that the request counts for; nil for none.
  public var rate: String?

  /// Without arguments, the traits of a short request without a limit.
  public init(peer: String = "", isLarge: Bool = false, pacedBytes: Int = 0, rate: String? = nil) {
    self.peer = peer
    self.isLarge = isLarge
    self.pacedBytes = pacedBytes
    self.rate = rate
  }
}

extension HTTPRequest {
  /// The traits of a request that is already built.
  var traits: RequestTraits {
    var traits = RequestTraits(peer: isLarge ? peer : "", isLarge: isLarge)
    if isPaced, case .bytes(let bytes) = body { traits.pacedBytes = bytes.count }
    return traits
  }
}
