import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `systemctl reload`.
@Suite(.slot, .needs(.systemd))
struct ServiceReloadTests {
  @Test func brokenReloadFailsAndChangesNothing() async throws {
    try await withService { rig in
      try await rig.service.start()
      let pid = try await rig.service.pid()
      try rig.rewrite { $0.daemonLines = ["concurrency = 3"] }
      try await rig.service.systemctl("reload")
      #expect(
        try await Self.told(rig.service, 1) == ["configuration reloaded: changed daemon.concurrency"], "each line once")

      try rig.rewrite { $0.daemonLines = ["concurrency = 5", "concurency = 7"] }
      let broken = try await rig.machine.run("systemctl", "reload", rig.service.unit)
      #expect(broken.status != 0)
      let told = try await Self.told(rig.service, 2).dropFirst()
      #expect(told.count == 1, "each line once: \(told)")
      #expect(told.first?.contains("the old one stays") == true && told.first?.contains("daemon.concurency") == true)
      let shown = try await rig.machine.run("systemctl", "status", "--no-pager", rig.service.unit).output
      #expect(shown.contains("daemon.concurency: unknown key"), "\(shown)")

      #expect(try await rig.service.property("ActiveState") == "active")
      #expect(try await rig.service.pid() == pid)
      try await rig.drop("a.pdf", until: "registered")

      // what is wrong is what was written since: the concurrency of before is still in force
      try rig.rewrite { $0.daemonLines = ["concurrency = 3"] }
      try await rig.service.systemctl("reload")
      #expect(try await Self.told(rig.service, 3).last == "configuration reloaded: nothing changed")
    }
  }

  /// What the unit's processes have said since the start, but for activity, once it is so many lines at least: the answer to a command
  /// may be there before its line.
  private static func told(_ service: Service, _ count: Int) async throws -> [String] {
    try await until("\(count) lines of the journal") {
      let told = try await service.entries().filter { $0.WAYBILL_EVENT != "activity" && $0.WAYBILL_EVENT != "started" }
        .compactMap(\.MESSAGE.string).filter { !$0.contains(" registered") }
      return told.count >= count ? told : nil
    }
  }
}
