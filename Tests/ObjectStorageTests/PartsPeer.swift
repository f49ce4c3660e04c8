import LoopbackPeer
import Synchronization

extension LoopbackPeer.Reply {
  /// A document of S3.
  static func document(_ root: String, _ content: String, _ headers: [String: String] = [:]) -> LoopbackPeer.Reply {
    .answer(200, headers.merging(["Content-Type": "application/xml"]) { $1 }, "<\(root)>\(content)</\(root)>")
  }
}

/// A storage that takes uploads of one part too, each under the id of its checksum.
final class PartsPeer: Sendable {
  private let objects = KeepingStorage()
  private let begun = Mutex<[String: LoopbackPeer.Request]>([:])

  /// The algorithm that the upload of a request was begun with.
  func algorithm(of request: LoopbackPeer.Request) -> String? {
    request["x-amz-checksum-algorithm"] ?? Self.id(request)
  }

  func reply(_ request: LoopbackPeer.Request) -> LoopbackPeer.Reply {
    let key = String(request.target.prefix { $0 != "?" })
    if request.method == "POST", request.target.contains("uploads=") {
      begun.withLock { $0[key] = request }
      let id = request["x-amz-checksum-algorithm"] ?? "NONE"
      return .document("InitiateMultipartUploadResult", "<UploadId>\(id)</UploadId>")
    }
    guard Self.id(request) != nil else { return objects.reply(request) }
    switch request.method {
    case "PUT":
      begun.withLock { $0[key]?.body = request.body }
      return .answer(200, ["ETag": "\"p\""])
    case "GET":
      let size = begun.withLock { $0[key]?.body.count ?? 0 }
      return .document(
        "ListPartsResult", "<Part><PartNumber>1</PartNumber><ETag>\"p\"</ETag><Size>\(size)</Size></Part>")
    case "POST":
      guard var object = begun.withLock({ $0[key] }) else { return .answer(404) }
      (object.method, object.target) = ("PUT", key)
      _ = objects.reply(object)
      return .document("CompleteMultipartUploadResult", "<ETag>\"o-1\"</ETag>")
    default: return .answer(204)
    }
  }

  private static func id(_ request: LoopbackPeer.Request) -> String? {
    request.target.firstRange(of: "uploadId=").map {
      String(request.target[$0.upperBound...].prefix { $0 != "&" })
    }
  }
}
