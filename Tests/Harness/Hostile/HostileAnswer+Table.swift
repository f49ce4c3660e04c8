import Foundation
import LoopbackPeer

extension HostileAnswer {
  private static let lost: Outcome = .asks("transient")
  private static let noStorage: Outcome = .asks("destination")

  /// What is no head of an answer, or none that ends.
  static let heads: [HostileAnswer] = [
    .init("one-header-line", lost, "HTTP/1.1 200 OK\r\nX-Long: ", .forever(Array(repeating: 0x30, count: 8192))),
    .init("header-lines", lost, "HTTP/1.1 200 OK\r\n", .forever(Array("X-Filler: 0123456789\r\n".utf8))),
    .init("interim-answers", lost, "", .forever(Array("HTTP/1.1 103 Early Hints\r\nX-Filler: 1\r\n\r\n".utf8))),
    .init("continue", lost, "", .forever(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))),
    .init("http-0-9", lost, "hello\n"),
    .init("http-1-0", .asks("transient", 500), "HTTP/1.0 500 Oops\r\n\r\nbody"),
    .init("http-2-preface", lost, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    .init("http-7", lost, "HTTP/7.3 200 OK\r\nContent-Length: 0\r\n\r\n"),
    .init("mail", lost, "220 mail.example.com ESMTP\r\n"),
    .init("binary", both(lost), bytes: Array(0...255)),
    .init("status-000", lost, "HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n", .next),
    .init("status-99", lost, "HTTP/1.1 99 Nothing\r\nContent-Length: 0\r\n\r\n"),
    .init("status-999", .asks("transient", 999), "HTTP/1.1 999 Nothing\r\nContent-Length: 0\r\n\r\n", .next),
    .init("status-1000", lost, "HTTP/1.1 1000 Nothing\r\nContent-Length: 0\r\n\r\n"),
    .init("status-minus", lost, "HTTP/1.1 -20 Nothing\r\nContent-Length: 0\r\n\r\n"),
    .init("status-101", lost, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: evil\r\n\r\n"),
    .init("nothing", lost, ""),
    .init("reset", lost, "", .reset),
    .init("reset-in-head", lost, "HTTP/1.1 200 OK\r\nETag", .reset),
    .init("nul-in-header", lost, "HTTP/1.1 200 OK\r\nETag: a\u{0}b\r\nContent-Length: 0\r\n\r\n"),
  ]

  /// Lengths that do not fit what comes.
  static let lengths: [HostileAnswer] = [
    .init("longer-than-it-is", lost, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
    .init(
      "shorter-than-it-is", [.storage: noStorage, .backend: .registered],
      "HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Length: 3\r\n\r\nabcdefghij"),
    .init("two-lengths", lost, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 10\r\n\r\nabc"),
    .init("negative-length", lost, "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"),
    .init("length-of-words", lost, "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"),
    .init("length-of-an-exbibyte", lost, "HTTP/1.1 200 OK\r\nContent-Length: 1152921504606846976\r\n\r\nabc", .hold),
    .init(
      "refusal-of-an-exbibyte", .asks("rejected", 400),
      "HTTP/1.1 400 No\r\nContent-Length: 1152921504606846976\r\n\r\n", .hold),
    .init("chunk-of-words", lost, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nmany\r\nabc\r\n0\r\n\r\n"),
    .init(
      "chunk-beyond-numbers", lost, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nabc"),
    .init("chunk-cut", lost, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc"),
  ]

  private static let packed: [UInt8] = {
    var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    bytes.append(contentsOf: repeatElement(0, count: 60_000))
    return bytes
  }()
  private static let block: [UInt8] = Array(repeating: 0x78, count: 64 << 10)
  private static let chunk: [UInt8] = Array("10000\r\n\(String(repeating: "x", count: 0x10000))\r\n".utf8)

  /// Bodies without end. Of a failure the status is enough; a success of a storage has to be one of an object store.
  static let endless: [HostileAnswer] = [
    .init(
      "success-without-end", [.storage: noStorage, .backend: .registered], "HTTP/1.1 200 OK\r\n\r\n", .forever(block)),
    .init(
      "chunks-without-end", [.storage: noStorage, .backend: .registered],
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .forever(chunk)),
    .init("refusal-without-end", .asks("rejected", 422), "HTTP/1.1 422 No\r\n\r\n", .forever(block)),
    .init(
      "failure-without-end", .asks("transient", 500), "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n",
      .forever(chunk)),
    .init("unavailable-without-end", .aborted, "HTTP/1.1 503 No\r\n\r\n", .forever(block)),
    .init(
      "unavailable-for-ages", .aborted,
      "HTTP/1.1 503 No\r\nRetry-After: 99999999999999999999999\r\nContent-Length: 0\r\n\r\n"),
    .init(
      "throttled-for-less-than-nothing", .throttled,
      "HTTP/1.1 429 No\r\nRetry-After: -1e999\r\nContent-Length: 0\r\n\r\n"),
    .init(
      "trailers-without-end", lost, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
      .forever(Array("X-Trailer: 0123456789\r\n".utf8))),
    // Nothing was said of taking such a thing, so it is not unpacked.
    .init(
      "packed", [.storage: .asks("rejected", 400), .backend: .asks("rejected", 400)], status: 400,
      headers: ["Content-Encoding: gzip"],
      body: packed),
  ]

  /// A few bytes each second: it ends by the time for the answer, at the backend by that for all.
  static let slow: [HostileAnswer] = [
    .init("dripping-status", lost, "", .drip(Array("HTTP/1.1 200 OK".utf8))),
    .init("dripping-header", lost, "HTTP/1.1 200 OK\r\nX-Slow: ", .drip([0x30])),
    .init("dripping-success", lost, "HTTP/1.1 200 OK\r\nETag: \"e\"\r\n\r\n", .drip([0x30])),
    .init("dripping-refusal", .asks("rejected", 400), "HTTP/1.1 400 No\r\n\r\n", .drip([0x30])),
    .init("silent", both(lost), needsTimeout: true) { _, _ in .hold },
    .init("silent-in-head", lost, "HTTP/1.1 200 OK\r\nETag: ", .hold),
  ]

  /// Ways to have the request, or what is secret in it, sent elsewhere.
  static let elsewhere: [HostileAnswer] =
    [300, 301, 302, 303, 307, 308, 399].map(redirect) + [
      sent("redirect-to-a-file", .asks("destination", 302), 302) { _ in ["Location": "file:///etc/passwd"] },
      sent("redirect-without-end", .asks("destination", 302), 302) {
        ["Location": $0 + "/" + String(repeating: "a", count: 50_000)]
      },
      sent("refresh", .asks("transient", 500), 500) {
        ["Refresh": "0; url=" + $0, "Alt-Svc": "h2=\"\($0.dropFirst(7))\"; ma=9999", "Link": $0]
      },
      sent("challenge", .waitsForKey, 401) {
        ["WWW-Authenticate": "NTLM, Negotiate, Digest realm=\"\($0)\", nonce=\"1\", Basic"]
      },
      sent("proxy-challenge", .asks("destination", 407), 407) { ["Proxy-Authenticate": "Basic realm=\"\($0)\""] },
    ]

  private static func redirect(_ status: Int) -> HostileAnswer {
    sent("redirect-\(status)", .asks("destination", status), status) {
      ["Location": "\($0)/there/redirect-\(status)?signature=secret-of-the-server"]
    }
  }

  private static func sent(
    _ name: String, _ outcome: Outcome, _ status: Int,
    headers: @escaping @Sendable (_ elsewhere: String) -> [String: String]
  ) -> HostileAnswer {
    .init(name, both(outcome)) { _, elsewhere in .answer(status, headers(elsewhere)) }
  }

  /// Answers to HEAD that do not fit the PUT before them: an object is there, and whose it is said wrongly.
  static let lies: [HostileAnswer] = [
    .init(
      "ours-of-another-size", [.storage: noStorage],
      occupied { "x-amz-meta-waybill-id: \($0)\r\nContent-Length: 99\r\n" }),
    .init("ours-of-no-size", [.storage: noStorage], occupied { "x-amz-meta-waybill-id: \($0)\r\n" }),
    .init(
      "ours-of-less-than-nothing", [.storage: .asks("transient")],
      occupied { "x-amz-meta-waybill-id: \($0)\r\nContent-Length: -1\r\n" }),
    .init(
      "anothers", [.storage: .asks("rejected", 412)],
      occupied { _ in
        "x-amz-meta-waybill-id: 01939f5c-7b1a-7c3d-9e4f-0123456789ab\r\nContent-Length: 11\r\n"
      }),
    .init("nobodys", [.storage: .asks("rejected", 412)], occupied { _ in "Content-Length: 11\r\n" }),
    .init(
      "of-two", [.storage: .asks("rejected", 412)],
      occupied {
        "x-amz-meta-waybill-id: 01939f5c-7b1a-7c3d-9e4f-0123456789ab\r\nx-amz-meta-waybill-id: \($0)\r\nContent-Length: 11\r\n"
      }),
    .init("always-there", [.storage: .asks("rejected", 412)]) { request, _ in
      request.method == "HEAD"
        ? .raw(
          Array("HTTP/1.1 200 OK\r\nx-amz-meta-waybill-id: \(id(of: request))\r\nContent-Length: 99\r\n\r\n".utf8),
          .close)
        : .answer(412)
    },
    .init("head-without-end", [.storage: lost]) { request, _ in
      request.method == "HEAD"
        ? .raw(Array("HTTP/1.1 200 OK\r\n".utf8), .forever(Array("X-Filler: 0123456789\r\n".utf8))) : .answer(412)
    },
    .init("head-with-a-body", [.storage: noStorage]) { request, _ in
      guard request.method == "HEAD" else { return request["If-None-Match"] == nil ? .answer(200) : .answer(412) }
      let head = "HTTP/1.1 200 OK\r\nx-amz-meta-waybill-id: \(id(of: request))\r\nContent-Length: 99\r\n\r\n"
      return .raw(Array((head + "HTTP/1.1 503 Smuggled\r\n\r\n").utf8), .next)
    },
  ]

  /// A PUT that is not to replace anything meets an object; HEAD has the headers made of the job's id. One that may is taken.
  private static func occupied(
    _ head: @escaping @Sendable (_ id: String) -> String
  ) -> @Sendable (LoopbackPeer.Request, String) -> LoopbackPeer.Reply {
    { request, _ in
      guard request.method == "HEAD" else { return request["If-None-Match"] == nil ? .answer(200) : .answer(412) }
      return .raw(Array("HTTP/1.1 200 OK\r\n\(head(id(of: request)))\r\n".utf8), .close)
    }
  }

  /// The keys of these tests are `{id}/{name}`.
  private static func id(of request: LoopbackPeer.Request) -> String {
    request.target.split(separator: "/").dropLast().last.map(String.init) ?? ""
  }
}
