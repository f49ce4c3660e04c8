import ChildProcesses
import CommandParts
import ControlAPI
import Foundation
import Jobs
import LoopbackPeer
import Testing

@testable import Harness
@testable import waybill

/// Servers that answer as no honest one does, all at once, to one real daemon: each job comes to what the contract's table says,
/// another destination's jobs go on, nothing is lost, shown raw or sent elsewhere, and memory stays within bounds.
@Suite(.slot, .bounded)
struct HostileAnswerTests {
  /// The most that the daemon may ever have in memory: an answer without end would be more.
  private static let memoryLimit = (600 << 20) * Sanitizer.memoryFactor

  @Test(arguments: HostileAnswer.Side.allCases)
  func hostileResponsesFollowContractTable(_ side: HostileAnswer.Side) async throws {
    let answers = HostileAnswer.all(of: side)
    #expect(Set(answers.map(\.name)).count == answers.count)
    let elsewhere = try LoopbackPeer { _ in .answer(200) }
    let peer = try HostileAnswer.peer(answers, elsewhere: elsewhere.url)
    try await withRig(
      journal: Capability.journald.isThere,
      { setup in
        setup.concurrency = 256
        setup.daemonLines = ["journal = \"debug\""]
        try setup.hostile(answers, side, peer, timeout: "3s", stall: "300ms")
      }
    ) { rig in
      try await rig.drop("before.pdf", until: "registered")
      for answer in answers { try rig.drop(answer.name + ".pdf", Self.data(answer), in: answer.name) }
      for answer in answers { await expectOutcome(of: answer, at: side, rig) }
      try await rig.drop("after.pdf", until: "registered")
      #expect(elsewhere.requests.isEmpty)
      #expect(peer.requests.allSatisfy { $0["X-Evil"] == nil })
      #expect(try ProcessFacts.bytes("VmHWM", of: try rig.daemon.pid) < Self.memoryLimit)
      try await expectNothingRaw(rig, count: answers.count + 2)
      #expect(try await rig.daemon.stop() == .exit(0))
    }
  }

  private static func data(_ answer: HostileAnswer) -> Data { Data("for \(answer.name)\n".utf8) }

  private func expectOutcome(of answer: HostileAnswer, at side: HostileAnswer.Side, _ rig: Rig) async {
    guard let outcome = answer.outcomes[side] else { return }
    do {
      let job = try await rig.daemon.job(named: answer.name + ".pdf", in: outcome.state)
      #expect(job.error.kind.string == outcome.kind, "\(answer.name): \(job.error)")
      if let status = outcome.status { #expect(job.error.status.int == status, "\(answer.name): \(job.error)") }
      let words = (job.question.string ?? "") + (job.error.message.string ?? "")
      #expect(words.utf8.count < 3000, "\(answer.name): \(words.utf8.count) bytes")
      // What is no server's to know, and what is no one's to show.
      for secret in ["root:", "secret-of-the-server", rig.setup.storage.secretKey] {
        #expect(!job.description.contains(secret), "\(answer.name): \(job)")
      }
      if outcome.kind == "destination" {
        let reasons = [
          "redirects are not followed", "answers like a web server, not like an S3 storage",
          "Proxy Authentication Required",
        ]
        #expect(reasons.contains { words.contains($0) }, "\(answer.name): \(words)")
      }
      guard outcome.state != "registered" else { return }
      let path = try #require(job.existingPath, "\(answer.name): \(job)")
      #expect(FileManager.default.contents(atPath: path) == Self.data(answer), "\(answer.name)")
    } catch {
      Issue.record("\(answer.name): \(error)")
    }
  }

  private func expectNothingRaw(_ rig: Rig, count: Int) async throws {
    for words in [["list"], ["list", "--by", "reason"], ["list", "--json"], ["status"]] {
      RawText.expectNone(try await rig.daemon.waybill(words), "\(words)")
    }
    for number in 1...count {
      let answer = try await rig.daemon.control("GET", "/v1/jobs/\(number)").body
      let detail = try JobDetailMessage(bytes: Array(answer.utf8))
      for line in JobReport(detail, now: .now, terminal: .standardOutput).lines {
        RawText.expectNone(line, "show \(number)")
      }
      RawText.expectNone(TerminalSafe.json(answer), "show --json \(number)")
      // The command itself adds nothing to that.
      guard Seeds.takes(number, of: 10) else { continue }
      RawText.expectNone(try await rig.daemon.waybill(["show", String(number)]), "show \(number)")
      RawText.expectNone(try await rig.daemon.waybill(["show", String(number), "--json"]), "show --json \(number)")
    }
    for event in try await rig.daemon.events() {
      #expect(RawText.found(in: event).isEmpty, "\(event)")
    }
    let watch = try ChildProcess(
      [Products.command, "log", "--follow", "--since", "1d"], environment: ["WAYBILL_SOCKET": rig.setup.socket])
    try await until("the last event") { watch.outputText.contains("after.pdf uploaded and registered") }
    RawText.expectNone(watch.outputText, "log --follow")
    RawText.expectNone(try rig.daemon.errorText, "standard error")
    guard let journal = rig.journal else { return }
    let entries = try await journal.entries()
    #expect(entries.count > count)
    for entry in entries {
      // A field with a raw character is an array of bytes there.
      for (field, value) in entry.members where field == "MESSAGE" || field.hasPrefix("WAYBILL_") {
        #expect(value.string.map { RawText.found(in: $0).isEmpty } == true, "\(field): \(value)")
      }
    }
  }
}
