import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Jobs that leave the ledger by a clock that somebody sets.
@Suite(.slot)
struct HistoryClockTests {
  /// The clock is a year ahead: nothing leaves, and the journal says so.
  @Test func clockJumpForgetsNothing() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let clock = try await WallClock(in: folder.url)
    try await withRig(environment: clock.variables, { $0.daemonLines = ["history = \"30d\""] }) { rig in
      try await rig.drop("a.pdf", until: "registered")
      try await until("its disposal") { try await rig.daemon.job(1).disposed_at.isNull == false }
      try clock.set(hours: 8766)
      #expect(try await rig.daemon.waybill("reload").status == 0)
      try await until("the journal to tell") {
        try rig.daemon.told("history: nothing is removed for 1d: the clock was set forward by") == 1
      }
      #expect(try await rig.daemon.count("registered") == 1)
      // Also for the one that starts with the wrong clock.
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      #expect(try await rig.daemon.waybill("reload").status == 0)
      let note = try String(contentsOf: rig.setup.state.appending(path: "ledger.pace"), encoding: .utf8)
      let hold = try #require(note.split(separator: " ").last.flatMap { Int64($0.trimmingCharacters(in: .newlines)) })
      #expect(hold > 23 * 3_600_000_000)
      #expect(try await rig.daemon.count("registered") == 1)
    }
  }
}
