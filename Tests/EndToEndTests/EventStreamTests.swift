import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// The stream of events over the real ledger, read by curl.
@Suite(.slot)
struct EventStreamTests {
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
}
