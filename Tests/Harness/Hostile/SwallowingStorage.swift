import LoopbackPeer
import Synchronization

/// A server that answers well and stores nothing.
struct SwallowingStorage: Sendable {
  let name: String
  /// Whether files go there in parts.
  let isInParts: Bool
  let reply: @Sendable (LoopbackPeer.Request) -> LoopbackPeer.Reply

  private typealias Reply = LoopbackPeer.Reply

  private init(
    _ name: String, isInParts: Bool = false, _ reply: @escaping @Sendable (LoopbackPeer.Request) -> LoopbackPeer.Reply
  ) {
    self.name = name
    self.isInParts = isInParts
    self.reply = reply
  }

  /// All of them on one port, each below its name.
  static func peer(_ storages: [SwallowingStorage]) throws -> LoopbackPeer {
    try LoopbackPeer { request in
      let name = request.target.split(separator: "/").first.map(String.init)
      return storages.first { $0.name == name }?.reply(request) ?? .cut
    }
  }

  static let all = servers + weak + perfect + parts

  private static let page = ["Content-Type": "text/html; charset=utf-8"]
  private static let html = "<!DOCTYPE html><html><body>Welcome</body></html>"
  private static let ok: Reply = .answer(200, ["ETag": "\"5f-18c2\""])

  /// Whatever is asked, the same comes.
  private static let servers: [SwallowingStorage] =
    [201, 202, 203, 204, 205, 206, 207, 208, 226].map { status in
      .init("always-\(status)") { _ in .answer(status) }
    } + [
      .init("always-200") { _ in .answer(200) },
      .init("page") { _ in .answer(200, page, html) },
      .init("page-with-etag") { _ in .answer(200, page.merging(["ETag": "\"5f-18c2\""]) { $1 }, html) },
      .init("text") { _ in .answer(200, ["Content-Type": "text/plain"], "ok\n") },
      .init("json") { _ in .answer(200, ["Content-Type": "application/json"], "{\"ok\":true}") },
      .init("multistatus") { _ in
        .answer(207, ["Content-Type": "application/xml"], "<D:multistatus xmlns:D=\"DAV:\"/>")
      },
      .init("always-as-s3") { _ in ok },
      .init("echo") { request in
        let echo = request.headers.filter { !["content-length", "host"].contains($0[0].lowercased()) }
        return .answer(
          200, Dictionary(echo.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 }).merging(["ETag": "\"e\""]) { $1 })
      },
    ]

  /// ETags that S3 does not send; HEAD is a web server's.
  private static let weak: [SwallowingStorage] = [
    ("weak", "W/\"5f-18c2\""), ("bare", "5f-18c2"), ("empty", "\"\""), ("half", "\"5f"),
  ].map { name, etag in
    .init("etag-" + name) { $0.method == "PUT" ? .answer(200, ["ETag": etag]) : .answer(404, page, html) }
  }

  /// PUT is answered as S3 does. HEAD tells.
  private static let perfect: [SwallowingStorage] = [
    head("finds-nothing") { _ in .answer(404) },
    head("finds-no-page") { _ in .answer(404, page) },
    head("no-content") { _ in .answer(204) },
    head("page") { _ in .answer(200, page) },
    head("without-id") { _ in .answer(200, ["Content-Length": "10", "ETag": "\"5f-18c2\""]) },
    head("of-another") { _ in
      .answer(200, ["x-amz-meta-waybill-id": "01939f5c-7b1a-7c3d-9e4f-0123456789ab", "Content-Length": "10"])
    },
    head("of-another-size") { .answer(200, ["x-amz-meta-waybill-id": id(of: $0), "Content-Length": "0"]) },
    head("of-two") {
      .answer(200, ["x-amz-meta-waybill-id": id(of: $0), "X-Amz-Meta-Waybill-Id": "other", "Content-Length": "10"])
    },
    head("refused-by-page") { _ in .answer(403, page) },
    head("elsewhere") { _ in .answer(302, ["Location": "/login"]) },
  ]

  private static func head(
    _ name: String, _ reply: @escaping @Sendable (LoopbackPeer.Request) -> LoopbackPeer.Reply
  ) -> SwallowingStorage {
    .init("head-" + name) { $0.method == "HEAD" ? reply($0) : ok }
  }

  /// The keys of these tests are `{id}/{name}`.
  private static func id(of request: LoopbackPeer.Request) -> String { HostileAnswer.id(of: request.target) }

  private static let parts: [SwallowingStorage] = [
    lie("create-204", "uploads", .answer(204)), lie("create-page", "uploads", .answer(200, page, html)),
    lie("part-204", "partNumber", .answer(204)), lie("part-201", "partNumber", .answer(201, ["ETag": "\"e\""])),
    lie("part-bare", "partNumber", .answer(200, ["ETag": "e"])),
    lie("part-page", "partNumber", .answer(200, page, html)),
    lie("part-weak", "partNumber", .answer(200, ["ETag": "W/\"e\""])),
    lie("complete-204", "uploadId", .answer(204)), lie("complete-page", "uploadId", .answer(200, page, html)),
    lie("complete-nothing", "uploadId", .answer(200)),
    lie("complete-no-etag", "uploadId", document("CompleteMultipartUploadResult", "")),
    lie("complete-perfect", "uploadId", document("CompleteMultipartUploadResult", "<ETag>\"e-1\"</ETag>")),
  ]

  /// Answers one request of an upload in parts so; the others as S3 does, and there is never an object.
  private static func lie(_ name: String, _ parameter: String, _ reply: LoopbackPeer.Reply) -> SwallowingStorage {
    .init(name, isInParts: true) { request in
      let query = request.target.split(separator: "?").dropFirst().first ?? ""
      switch request.method {
      case "PUT": return parameter == "partNumber" ? reply : ok
      case "POST" where query.hasPrefix(parameter): return reply
      case "POST" where query.hasPrefix("uploads"):
        return document("InitiateMultipartUploadResult", "<UploadId>u</UploadId>")
      case "POST": return document("CompleteMultipartUploadResult", "<ETag>\"e-1\"</ETag>")
      case "GET" where query.hasPrefix("max-parts"): return document("ListPartsResult", "")
      case "GET": return document("ListMultipartUploadsResult", "")
      case "DELETE": return .answer(204)
      default: return .answer(404)
      }
    }
  }

  private static func document(_ root: String, _ content: String) -> LoopbackPeer.Reply {
    .answer(200, ["Content-Type": "application/xml"], "<\(root)>\(content)</\(root)>")
  }
}
