import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Commands for a host that takes a shared spool over.
@Suite(.slot) struct TakeoverCommandTests {
  /// The host has the lock again, and has not read yet what became of its files: the file of its queued job was registered by the
  /// other host. A cancel that it accepted now would be a lie.
  @Test func commandDuringTakeoverIsRefused() async throws {
    try await withHosts { hosts in
      let (a, b) = (hosts.daemons[0], hosts.daemons[1])
      try await a.start()
      try await hosts.untilHeld(by: 0)
      #expect(try await a.waybill("pause").status == 0)
      try hosts.rig.drop("a.pdf")
      try await a.job(named: "a.pdf", in: "queued")
      try await a.kill()
      try await b.start()
      try await b.job(named: "a.pdf", in: "registered")
      _ = try await b.stop()
      try await a.start()
      try await hosts.untilHeld(by: 0)
      let refused = try await a.waybill("cancel", "1")
      #expect(refused.status == 1, "\(refused)")
      let job = try await a.job(named: "a.pdf", in: "moved", after: "queued")
      #expect(!job.history.array.contains { $0.event == "cancelled" })
      try await until("the host to hold the spool for good") { try a.told("taken over from") == 1 }
      #expect(try await a.waybill("resume").status == 0)
      try hosts.rig.drop("b.pdf")
      try await a.job(named: "b.pdf", in: "registered")
      #expect(try await hosts.faults(["a.pdf", "b.pdf"]) == [])
    }
  }
}
