import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `concurrency = "auto"`: the limit of each destination follows how it answers.
@Suite(.slot)
struct AdaptiveTests {
  private func limit(_ destination: String, _ rig: Rig) async throws -> Int {
    let all = try await rig.daemon.status().destinations.array
    return try #require(all.first { $0.destination.string == destination }?.concurrency.limit.int)
  }

  @Test func slowAnswersRaiseLimitAcrossReload() async throws {
    // So long that any machine has time for what else there is to do meanwhile.
    let slow: JSONValue = ["upload": ["latency_ms": 1500]]
    try await withRig(faults: slow, starting: false, { $0.concurrency = nil }) { rig in
      for number in 1...200 { try rig.drop("\(number).pdf") }
      try await rig.daemon.start()
      try await until("more than the first sixteen in flight") {
        try await rig.sandbox.state().peak.upload.int ?? 0 > 16
      }
      try await rig.sandbox.recover()
      try await until("all to be registered") { try await rig.daemon.count("registered") == 200 }
      // Where a busy machine decides the pace and not the server, it may have come back since.
      let found = try await limit("storage.main", rig)
      #expect(try await rig.daemon.waybill("status").output.contains("storage.main 0 of \(found)"))
      let metrics = try await rig.daemon.control("GET", "/metrics").body
      #expect(metrics.contains("waybill_concurrency_limit{destination=\"storage.main\"} \(found)\n"))

      let reload = try await rig.reload { $0.daemonLines = ["history = \"29d\""] }
      #expect(reload.output == "configuration reloaded: changed daemon.history\n")
      #expect(try await limit("storage.main", rig) == found)
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      #expect(try await limit("storage.main", rig) == 16, "a start knows nothing")
    }
  }
}
