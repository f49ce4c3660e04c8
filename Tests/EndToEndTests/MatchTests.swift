import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Names that must match an expression, and whose parts go on.
@Suite(.slot)
struct MatchTests {
  private static let match = #"match = '(?<case>\d+)_(?<kind>[a-z]+)(-(?<page>\d+))?\.pdf'"#

  @Test func partsReachKeyTagFieldAndLink() async throws {
    try await withRig({
      $0.spoolLines = [Self.match, "link = \"https://files.example/{kind}/{case}\""]
      $0.key = "{kind}/{case}/{page}/{name}"
      $0.storageLines = [
        "tags = { case = \"{case}\", page = \"{page}\" }", "headers = { x-amz-meta-kind = \"{kind}\" }",
      ]
      $0.backendLines = ["fields = { case = \"{case}\", page = \"{page}\", link = \"{link}\" }"]
    }) { rig in
      try rig.drop("2026_invoice.pdf")
      let job = try await rig.daemon.job(named: "2026_invoice.pdf", in: "registered")
      #expect(job.key == "invoice/2026/2026_invoice.pdf")
      #expect(job.captures == ["case": "2026", "kind": "invoice"])
      let body = try #require(try rig.sandbox.registrations().first).body
      #expect(body == ["case": "2026", "page": nil, "link": "https://files.example/invoice/2026"])
      let object = try #require(try await rig.sandbox.objects().values.first)
      #expect(object.metadata.kind == "invoice", "\(object)")
      let shown = try await rig.daemon.waybill("show", "1")
      #expect(shown.output.contains("case = 2026") && shown.output.contains("kind = invoice"), "\(shown)")
      // The parts are durable.
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      #expect(try await rig.daemon.job(1).captures == ["case": "2026", "kind": "invoice"])
      try rig.drop("7_letter-3.pdf")
      #expect(try await rig.daemon.job(named: "7_letter-3.pdf", in: "registered").key == "letter/7/3/7_letter-3.pdf")
    }
  }

  private func rewrite(_ rig: Rig, _ lines: [String], key: String? = nil) async throws {
    try await rig.reload {
      if let key { $0.key = key }
      $0.spoolLines = lines
    }
  }

  @Test func unfitAsksOrIsLeftAlone() async throws {
    try await withRig({
      $0.spoolLines = [Self.match]
      $0.key = "{case}/{id}/{name}"
    }) { rig in
      try rig.drop("other.pdf")
      let asked = try await rig.daemon.job(named: "other.pdf", in: "awaiting-confirmation")
      #expect(asked.question.string?.contains("its name does not match (?<case>") == true, "\(asked.question)")
      #expect(asked.error.code == "unmatched" && asked.captures == [:])
      #expect(try await rig.sandbox.count("upload") == 0)
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      let sent = try await rig.daemon.job(named: "other.pdf", in: "registered")
      #expect(sent.key.string == "\(try #require(sent.id.string))/other.pdf")

      try await rewrite(rig, ["max_size = \"100\""], key: "{id}/{name}")
      try rig.drop("large.pdf", Data(repeating: 120, count: 101))
      let large = try await rig.daemon.job(named: "large.pdf", in: "awaiting-confirmation")
      let question = large.question.string ?? ""
      #expect(question.contains("its size is 101 bytes, and max_size is 100"), "\(question)")
      #expect(large.error.code == "too-large")
      #expect(try await rig.daemon.waybill("confirm", "2").status == 0)
      try await rig.daemon.job(named: "large.pdf", in: "registered")

      try await rewrite(
        rig, [Self.match, "unmatched = \"ignore\"", "scan_interval = \"1s\""], key: "{case}/{id}/{name}")
      try rig.drop("third.pdf")
      let path = rig.setup.spool.appending(path: "third.pdf").path
      let file = try await rig.explained(path, as: "unmatched")
      #expect(file.detail.contains("its name does not match (?<case>"), "\(file)")
      try await until("it to be counted") {
        try await rig.daemon.status().spools.array.first?.waiting == ["unmatched": 1]
      }
      let status = try await rig.daemon.waybill("status")
      #expect(status.output.contains("left alone: 1 not matched"), "\(status)")
      #expect(try rig.filesLeft() == ["third.pdf"])

      // Without an expression it is taken.
      try await rewrite(rig, [], key: "{id}/{name}")
      try await rig.daemon.job(named: "third.pdf", in: "registered")
    }
  }

  /// Names at which an expression works for ever, in a spool that leaves other names alone: each is asked about, and another file goes
  /// on its way.
  @Test func hostileNamesDelayNoOther() async throws {
    try await withRig({ $0.spoolLines = ["match = '(a+)+'", "unmatched = \"ignore\""] }) { rig in
      let hostile = (0..<500).map { String(repeating: "a", count: 230) + "!\($0)" }
      for name in hostile { try rig.drop(name) }
      try rig.drop("aaa")
      try await rig.daemon.job(named: "aaa", in: "registered")
      try await until("all to be asked about") {
        try await rig.daemon.count("awaiting-confirmation") == hostile.count
      }
      // One of the first two jobs is the other file's.
      let questions = [try await rig.daemon.job(1).question.string, try await rig.daemon.job(2).question.string]
      let question = questions.compactMap(\.self).first
      #expect(question?.contains("takes too many steps to match (a+)+") == true, "\(question ?? "none")")
    }
  }
}
