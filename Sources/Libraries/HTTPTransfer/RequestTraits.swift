/// The traits of a request that decide when its turn comes. They are known before it is built.
public struct RequestTraits: Hashable, Sendable {
  /// The server, e.g. its host: long bodies are shared out fairly among servers.
  public var peer: String
  /// True if its body takes long. At most half of the requests in flight are like this; others go past the waiting
  /// ones.
  public var isLarge: Bool
  /// The bytes of a body in memory that count against the limit of bytes a second. Those of a file are counted as they go.
  public var pacedBytes: Int

  /// A request's traits; without arguments those of a short request without a limit.
  public init(peer: String = "", isLarge: Bool = false, pacedBytes: Int = 0) {
    self.peer = peer
    self.isLarge = isLarge
    self.pacedBytes = pacedBytes
  }
}

extension HTTPRequest {
  /// The traits of a request that is built already.
  var traits: RequestTraits {
    var traits = RequestTraits(peer: isLarge ? peer : "", isLarge: isLarge)
    if isPaced, case .bytes(let bytes) = body { traits.pacedBytes = bytes.count }
    return traits
  }
}
