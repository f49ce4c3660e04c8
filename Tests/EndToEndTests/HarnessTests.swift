import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What the other tests take for granted of the harness.
@Suite(.slot) struct HarnessTests {
  @Test func queriesShareConnectionAndSurviveRestart() async throws {
    try await withRig { rig in
      try await rig.drop("a.pdf", until: "registered")
      // Calls that wait for one another do not share one; these do.
      let before = try Self.connections(of: rig.daemon)
      for _ in 1...50 { #expect(try await rig.daemon.count("registered") == 1) }
      #expect(try Self.connections(of: rig.daemon) <= max(1, before))
      try await rig.daemon.kill()
      #expect(try await rig.daemon.control("GET", "/v1/status").status == 0)
      await #expect(throws: Missing.self) { try await rig.daemon.jobs() }
      try await rig.daemon.start()
      try await rig.drop("b.pdf", until: "registered")
    }
  }

  @Test func parsesJSONUnchanged() throws {
    let value = try JSONValue(parsing: #"{"\#u{FEFF}a": "\#u{FEFF}b.pdf", "c": [true, 1, 1.5, null, "\u00e9"]}"#)
    #expect(value == ["\u{FEFF}a": "\u{FEFF}b.pdf", "c": [.bool(true), 1, .number(1.5), .null, "é"]])
  }

  @Test func ledgerChangeEndsWait() async throws {
    try await withRig { rig in
      let looks = LedgerWatch(socket: rig.daemon.socket)
      // Without a mark there is always news.
      #expect(await looks.news(within: .seconds(60)))
      async let news = looks.news(within: .seconds(60))
      try rig.drop("a.pdf")
      #expect(await news)
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      try await rig.daemon.kill()
      let last = LedgerWatch(socket: rig.daemon.socket)
      #expect(await !last.news(within: .seconds(60)), "nobody tells any more")
    }
  }

  /// How many connections to its control socket are open in the kernel's table, which has a line for each end.
  private static func connections(of daemon: Daemon) throws -> Int {
    // A socket that listens is a line too.
    try String(contentsOfFile: "/proc/net/unix", encoding: .utf8).split(separator: "\n")
      .count { $0.hasSuffix(" " + daemon.socket) } - 1
  }
}
