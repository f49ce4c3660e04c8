import Synchronization

/// A storage for single PUTs that keeps what it is given, as far as HEAD tells.
public final class KeepingStorage: Sendable {
  private let heads = Mutex<[String: LoopbackPeer.Reply]>([:])

  /// One with nothing in it.
  public init() {}

  /// Answers PUT, HEAD and DELETE as S3 does.
  public func reply(_ request: LoopbackPeer.Request) -> LoopbackPeer.Reply {
    heads.withLock { heads in
      switch request.method {
      case "HEAD": return heads[request.target] ?? .answer(404)
      case "DELETE":
        heads[request.target] = nil
        return .answer(204)
      default:
        heads[request.target] = .answer(
          200,
          [
            "x-amz-meta-waybill-id": request["x-amz-meta-waybill-id"] ?? "", "Content-Length": "\(request.body.count)",
            "ETag": "\"e\"",
          ])
        return .answer(200, ["ETag": "\"e\""])
      }
    }
  }
}
