/// The properties of a request that decide when its turn comes. They are known before it is built.
public struct RequestTraits: Hashable, Sendable {
  /// The server, e.g. its host: long bodies are distributed fairly among servers.
  public var peer: String
  /// True if sending its body takes long. At most half of the requests in flight are like this; others may overtake those that
  /// wait.
  public var isLarge: Bool
  /// The bytes of a body in memory that count against the limit of bytes per second. Those of a file are counted while they are
  /// sent.
  public var pacedBytes: Int

  /// The traits of a request; without arguments, those of a short request without a limit.
  public init(peer: String = "", isLarge: Bool = false, pacedBytes: Int = 0) {
    self.peer = peer
    self.isLarge = isLarge
    self.pacedBytes = pacedBytes
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
