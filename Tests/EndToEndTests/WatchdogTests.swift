import ChildProcesses
import Foundation
import Linux
import Seams
import Testing

@testable import Harness

/// systemd hears of the daemon while all that work goes through comes by, and no longer.
@Suite(.slot)
struct WatchdogTests {
  @Test func healthyDaemonPingsRepeatedly() async throws {
    try await withRig(starting: false) { rig in
      let log = try await StatusLog(in: rig.folder, control: rig.setup.socket)
      let daemon = Daemon(rig.setup, environment: Self.environment(log))
      try await daemon.start()
      try await until("ten signs of life") { try Self.signs(log) >= 10 }
      #expect(try await daemon.stop() == .exit(0))
      #expect(
        try log.messages().flatMap(\.lines.array).compactMap(\.string).contains {
          $0.hasPrefix("EXTEND_TIMEOUT_USEC=")
        },
        "requests in flight may take all of grace")
    }
  }

  /// The thread that transfers and runs the pipeline, and that of the ledger's writer.
  @Test(.needs(.failpoints), arguments: [Failpoint.attemptBegun, .ledgerCommitting])
  func hungThreadStopsPings(_ point: Failpoint) async throws {
    let metrics = "127.0.0.1:\(Ports.free())"
    try await withRig(starting: false, { $0.daemonLines = ["metrics = \"\(metrics)\""] }) { rig in
      let log = try await StatusLog(in: rig.folder, control: rig.setup.socket)
      let daemon = Daemon(
        rig.setup, environment: Self.environment(log).merging(point.variable(turn: 8, hanging: true)) { $1 })
      let child = try daemon.launch()
      try await until("the daemon to be ready") {
        try log.messages().contains { $0.lines.array.contains("READY=1") }
      }
      // more than there are commits at a start
      for number in 1...20 { try rig.drop("\(number).pdf") }
      try await until("the thread to hang") { child.errorText.contains("failpoint \(point.rawValue)\n") }
      // what was said before it hung may still be on its way
      try await until("no sign of life for five times as long as is asked for") {
        let before = try Self.signs(log)
        try await Task.sleep(for: .milliseconds(5 * Self.interval))
        return try Self.signs(log) == before
      }
      #expect(try child.ending() == nil, "it hangs, and systemd would end it")
      guard point == .ledgerCommitting else { return }
      let health = try await HTTPAnswer.call("GET", "http://\(metrics)/healthz")
      #expect(health.status == 503 && health.body.hasPrefix("no progress for "), "\(health)")
    }
  }

  /// Milliseconds.
  private static let interval = 400

  private static func environment(_ log: StatusLog) -> [String: String] {
    log.environment.merging(["WATCHDOG_USEC": String(interval * 1000)]) { $1 }
  }

  private static func signs(_ log: StatusLog) throws -> Int {
    try log.messages().flatMap(\.lines.array).count { $0.string == "WATCHDOG=1" }
  }
}
