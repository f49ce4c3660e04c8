import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What travels with a file in extended attributes, to object and backend.
@Suite(.slot)
struct MetadataTests {
  private static let attributes: [String: [UInt8]] = [
    "user.mime_type": Array("text/x-own; charset=utf-8".utf8),
    "user.waybill.Invoice-No": Array("17".utf8), "user.waybill.with space": Array("a b".utf8),
    "user.waybill.evil": Array("x\r\nX-Amz-Meta-Evil2: y\r\n\r\nGET / HTTP/1.1".utf8),
    "user.waybill.escape": Array("\u{1B}[31m\u{7}\0".utf8), "user.waybill.größe": Array("Größe 🗂".utf8),
    "user.waybill.na\r\nme": Array("v".utf8), "user.waybill.bytes": [0x61, 0xFF], "user.waybill.empty": [],
    "user.waybill.blanks": Array("  two  ".utf8), "user.waybill.waybill-id": Array("forged".utf8),
    "user.other": Array("stays here".utf8),
  ]

  /// By the contract: names in lower-case letters, digits and `-`, values as encoded words (RFC 2047).
  private static let stored: [String: String] = [
    "invoice-no": "17", "with-space": "a b", "evil": "x\r\nX-Amz-Meta-Evil2: y\r\n\r\nGET / HTTP/1.1",
    "escape": "\u{1B}[31m\u{7}\0", "grc3b6c39fe": "Größe 🗂", "na0d0ame": "v", "bytes": "a\\xff", "empty": "",
    "blanks": "  two  ", "waybill-names": "Invoice-No,gr%C3%B6%C3%9Fe,na%0D%0Ame,with%20space",
  ]

  private static let registered: JSONValue = [
    "Invoice-No": "17", "with space": "a b", "evil": "x\r\nX-Amz-Meta-Evil2: y\r\n\r\nGET / HTTP/1.1",
    "escape": "\u{1B}[31m\u{7}\0", "größe": "Größe 🗂", "na\r\nme": "v", "bytes": "a\\xff", "empty": "",
    "blanks": "  two  ",
  ]

  @Test(.needs(.awscli, .s3Server))
  func attributesReachServersAndInjectNothing() async throws {
    try await withRig({ $0.storage = try RealS3.storage() }) { rig in
      try await rig.drop([.init(name: Array("a.pdf".utf8), data: [1], attributes: Self.attributes)])
      let job = try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(job.metadata == Self.registered)
      let key = Array((job.key.string ?? "").utf8)
      let object = try #require(try await AWSReader(storage: rig.setup.storage).read([key]).objects[0])
      #expect(object.contentType == "text/x-own; charset=utf-8")
      var metadata = object.metadata.mapValues(Self.decoded)
      #expect(metadata.removeValue(forKey: "waybill-id") == job.id.string)
      #expect(metadata.removeValue(forKey: "waybill-sha256") == job.sha256.string)
      #expect(metadata == Self.stored)
      let body = try #require(try rig.sandbox.registrations().first).body
      #expect(body.metadata == Self.registered)
      #expect(body.content_type == "text/x-own; charset=utf-8")
      let show = try await rig.daemon.waybill("show", "1")
      #expect(show.status == 0 && !show.output.utf8.contains(0x1B))
    }
  }

  /// Encoded words of RFC 2047 in base64, decoded; anything else as it is.
  private static func decoded(_ value: String) -> String {
    let words = value.split(separator: " ")
    guard !words.isEmpty, words.allSatisfy({ $0.hasPrefix("=?UTF-8?B?") && $0.hasSuffix("?=") }) else { return value }
    return words.map {
      String(decoding: Data(base64Encoded: String($0.dropFirst(10).dropLast(2))) ?? Data(), as: UTF8.self)
    }
    .joined()
  }
}
