import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// The stream of events over the real ledger, read by curl.
@Suite(.slot)
struct EventStreamTests {
  @Test func returningReaderGetsEachEventOnce() async throws {
    try await withRig { rig in
      for number in 1...20 { try rig.drop("\(number).pdf") }
      try await until("20 registered") { try await rig.daemon.count("registered") == 20 }
      let first = try await rig.daemon.events(after: 0)
      #expect(first.count == 60)
      let middle = first[first.count / 2].id
      for number in 21...30 { try rig.drop("\(number).pdf") }
      try await until("30 registered") { try await rig.daemon.count("registered") == 30 }
      let second = try await rig.daemon.events(after: middle)
      let all = first.filter { $0.id <= middle } + second
      #expect(all.map(\.id) == Array(1...90))
      #expect(all.filter { $0.event.event == "registered" }.count == 30)
      let admitted = try #require(all.first?.event)
      #expect(admitted.event == "admitted" && admitted.job.state == "queued" && admitted.job.step == "upload")
    }
  }

  @Test func streamContinuesAfterRestart() async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let before = try await rig.daemon.events(after: 0)
      _ = try await rig.daemon.stop()
      try await rig.daemon.start()
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      let after = try await rig.daemon.events(after: try #require(before.last).id)
      #expect(after.map { $0.event.event.string } == ["cancelled"])
      #expect(after.first?.event.by.uid.int == Int(getuid()))
    }
  }

  /// A problem of a spool stands among the jobs' events, once however many files have it, and outlives a restart.
  @Test func spoolProblemsAppearAsEvents() async throws {
    try await withRig { rig in
      let many = Dictionary(uniqueKeysWithValues: (0..<70).map { ("user.waybill.a\($0)", [UInt8(0x31)]) })
      try await rig.drop("before.pdf", until: "registered")
      try await rig.drop((1...5).map { .init(name: Array("\u{1B}[31m\($0)".utf8), data: [1], attributes: many) })
      try await until("6 registered") { try await rig.daemon.count("registered") == 6 }
      try await rig.drop("after.pdf", until: "registered")
      let before = try await rig.daemon.events(after: 0)
      let problem = try #require(before.first { $0.event.event == "spool-problem" })
      #expect(problem.event.job.isNull && problem.event.spool == "documents" && problem.event.destination.isNull)
      #expect(problem.event.reason.string?.contains("carries more than 64 attributes") == true, "\(problem)")
      #expect(before.map(\.id) == Array(1...22) && before.filter { $0.event.job.isNull }.count == 1)
      #expect((4...21).contains(problem.id) && before[0].event.event == "admitted")

      _ = try await rig.daemon.stop()
      try await rig.daemon.start()
      let resumed = try await rig.daemon.events(after: problem.id - 1)
      #expect(resumed.first?.event == problem.event && resumed.map(\.id) == Array(problem.id...22))
      let watch = try ChildProcess([
        Products.command, "log", "--follow", "--socket", rig.setup.socket, "--event", "spool-problem,registered",
        "--since", "1h",
      ])
      try await watch.prints("the end") { $0.contains("after.pdf uploaded and registered") }
      let lines = watch.outputText.split(separator: "\n")
      #expect(lines.count == 8 && lines.filter { $0.contains("Z - spool documents: ") }.count == 1, "\(lines)")
      #expect(!watch.outputText.contains("\u{1B}"))
      watch.signal(SIGTERM)
      #expect(try await watch.end() == .exit(0))
    }
  }

  @Test func documentedCallsWork() async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/operating.md")
      let calls = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        .filter { $0.hasPrefix("curl ") }
        .map { $0.replacingOccurrences(of: "/run/waybill/control.sock", with: rig.setup.socket) }
      #expect(calls.count >= 3)
      for call in calls {
        let command = try await Command.run(["sh", "-c", call.replacingOccurrences(of: "/42", with: "/1")])
        #expect(command.status == 0, "\(call): \(command.errors)")
        #expect(command.output.contains("\"job\""), "\(call): \(command.output)")
      }
    }
  }
}
