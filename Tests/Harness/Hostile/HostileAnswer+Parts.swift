import Foundation
import LoopbackPeer
import Synchronization

/// Answers to the requests of an upload in parts; what is not lied about is answered as a storage does.
extension HostileAnswer {
  /// What a request of an upload in parts is for.
  private enum Purpose {
    case create, part, complete, other

    init(_ request: LoopbackPeer.Request) {
      let query = request.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
      switch request.method {
      case "POST" where query.hasPrefix("uploads"): self = .create
      case "POST" where query.contains("uploadId="): self = .complete
      case "PUT" where query.contains("partNumber="): self = .part
      default: self = .other
      }
    }
  }

  static let parts: [HostileAnswer] = creates + tickets + ends

  private static let creates: [HostileAnswer] = [
    lie("create-nothing", to: .create, .asks("destination")) { _ in .answer(200) },
    lie("create-no-id", to: .create, .asks("transient")) { _ in document("InitiateMultipartUploadResult", "") },
    lie("create-empty-id", to: .create, .asks("transient")) { _ in begun("") },
    lie("create-id-without-end", to: .create, .asks("transient")) { _ in begun(String(repeating: "u", count: 60_000)) },
    lie("create-id-of-an-exbibyte", to: .create, .asks("transient")) { _ in
      .raw(
        Array("HTTP/1.1 200 OK\r\n\r\n<InitiateMultipartUploadResult><UploadId>".utf8),
        .forever(Array(repeating: 0x75, count: 8192)))
    },
    lie("create-laughs", to: .create, .asks("transient")) { _ in .answer(200, [:], laughing) },
    lie("create-hidden-503", to: .create, .aborted) { _ in document("Error", "<Code>SlowDown</Code>") },
    lie("create-other-document", to: .create, .asks("transient")) { _ in
      document("CompleteMultipartUploadResult", "<ETag>e</ETag>")
    },
    lie("create-elsewhere", to: .create, .asks("destination", 307)) { .answer(307, ["Location": $0 + "/there"]) },
    // It goes back as it came, and is no part of a request's line, of a header or of another parameter.
    lie("create-id-of-marks", to: .create, .registered) { _ in begun("u/../..?x=1&amp;uploads#&#x20;%2e%2e+é") },
    lie("create-id-of-lines", to: .create, .registered) { _ in
      begun("u HTTP/1.1&#13;&#10;X-Evil: 1&#13;&#10;&#13;&#10;DELETE /")
    },
  ]

  private static let tickets: [HostileAnswer] = [
    lie("part-no-etag", to: .part, .asks("destination")) { _ in .answer(200) },
    lie("part-etag-of-marks", to: .part, .registered) { _ in
      .answer(200, ["ETag": "\"</ETag></Part><Part><PartNumber>2</PartNumber>&laugh;\u{9B}2J\""])
    },
    lie("part-etag-without-end", to: .part, .asks("destination")) { _ in
      .answer(200, ["ETag": "\"" + String(repeating: "e", count: 60_000) + "\""])
    },
    lie("part-other-checksum", to: .part, .asks("transient")) { _ in
      .answer(200, ["ETag": "\"e\"", "x-amz-checksum-sha256": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="])
    },
    lie("part-elsewhere", to: .part, .asks("destination", 307)) { .answer(307, ["Location": $0 + "/there"]) },
    lie("part-503", to: .part, .aborted) { _ in .answer(503) },
    lie("part-gone", to: .part, .asks("transient", 404)) { _ in
      .answer(404, [:], "<Error><Code>NoSuchUpload</Code></Error>")
    },
    lie("part-without-end", to: .part, .asks("destination")) { _ in
      .raw(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), .forever(Array(repeating: 0x20, count: 8192)))
    },
  ]

  private static let ends: [HostileAnswer] = [
    lie("complete-nothing", to: .complete, .asks("destination")) { _ in .answer(200) },
    lie("complete-laughs", to: .complete, .asks("transient")) { _ in .answer(200, [:], laughing) },
    lie("complete-cut", to: .complete, .asks("transient")) { _ in
      .answer(200, [:], "<CompleteMultipartUploadResult><ETag>e")
    },
    lie("complete-hidden-503", to: .complete, .aborted) { _ in document("Error", "<Code>SlowDown</Code>") },
    lie("complete-hidden-error", to: .complete, .asks("transient")) { _ in
      document("Error", "<Code>InternalError</Code><Message>\u{9B}2J\u{202E}</Message>")
    },
    // A storage may send spaces while it is at work ("CompleteMultipartUpload" in the S3 API reference), but not for ever.
    lie("complete-spaces-without-end", to: .complete, .asks("transient")) { _ in
      .raw(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), .forever(Array(repeating: 0x20, count: 8192)))
    },
    lie("complete-other-checksum", to: .complete, .asks("transient")) { _ in
      document(
        "CompleteMultipartUploadResult",
        "<ETag>\"e\"</ETag><ChecksumSHA256>AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=-2</ChecksumSHA256>")
    },
    lie("complete-etag-of-marks", to: .complete, .registered) { _ in
      document("CompleteMultipartUploadResult", "<ETag>\"e\u{9B}2J\u{202E}&#x85;\"</ETag>")
    },
    lie("complete-elsewhere", to: .complete, .asks("destination", 307)) { .answer(307, ["Location": $0 + "/there"]) },
    lie("complete-of-nobody", to: .complete, .asks("transient", 412)) { _ in .answer(412) },
  ]

  private static let laughing =
    "<!DOCTYPE x [<!ENTITY a \"haha\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><x><UploadId>&b;</UploadId></x>"

  private static func begun(_ id: String) -> LoopbackPeer.Reply {
    document("InitiateMultipartUploadResult", "<UploadId>\(id)</UploadId>")
  }

  private static func document(_ root: String, _ content: String) -> LoopbackPeer.Reply {
    .answer(200, ["Content-Type": "application/xml"], "<\(root)>\(content)</\(root)>")
  }

  private static func lie(
    _ name: String, to purpose: Purpose, _ outcome: Outcome,
    _ reply: @escaping @Sendable (_ elsewhere: String) -> LoopbackPeer.Reply
  ) -> HostileAnswer {
    .init(name, [.parts: outcome]) { request, elsewhere in
      let asked = Purpose(request)
      if asked == .complete, asked != purpose || outcome.state == "registered" { completed(request, name) }
      return asked == purpose ? reply(elsewhere) : honest(request, asked)
    }
  }

  /// What HEAD says of the objects that were completed, by path.
  private static let objects = Mutex<[String: LoopbackPeer.Reply]>([:])

  private static func completed(_ request: LoopbackPeer.Request, _ name: String) {
    let head = LoopbackPeer.Reply.answer(
      200,
      [
        "x-amz-meta-waybill-id": id(of: path(of: request)), "ETag": "\"e-1\"",
        "Content-Length": String(data(name).count),
      ])
    objects.withLock { $0[path(of: request)] = head }
  }

  private static func path(of request: LoopbackPeer.Request) -> String {
    String(request.target.prefix { $0 != "?" })
  }

  /// What is sent in parts to the server that answers so.
  static func data(_ name: String) -> Data { Data("for \(name)\n".utf8) + Data(count: 5 << 20) }

  private static func honest(_ request: LoopbackPeer.Request, _ purpose: Purpose) -> LoopbackPeer.Reply {
    switch purpose {
    case .create: begun("u")
    case .part: .answer(200, ["ETag": "\"e\""])
    case .complete: document("CompleteMultipartUploadResult", "<ETag>\"e-1\"</ETag>")
    case .other:
      switch request.method {
      case "DELETE": .answer(204)
      case "GET": document("ListMultipartUploadsResult", "")
      case "HEAD": objects.withLock { $0[path(of: request)] } ?? .answer(404)
      default: .answer(404)
      }
    }
  }
}
