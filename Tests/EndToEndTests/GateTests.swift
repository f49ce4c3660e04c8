import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Destinations in trouble while many files wait, as an operator sees them.
@Suite(.slot)
struct GateTests {
  private func dropAll(_ count: Int, _ rig: Rig) throws {
    for number in 1...count { try rig.drop("\(number).pdf") }
  }

  private func gateEvents(_ rig: Rig) async throws -> [JSONValue] {
    try await rig.daemon.events(through: "gate-opened").filter { $0.event.string?.hasPrefix("gate-") == true }
  }

  @Test func wrongBucketAsksOnlyOnce() async throws {
    let count = 60
    let missing: JSONValue = ["upload": ["status": 404, "code": "NoSuchBucket"]]
    try await withRig(faults: missing, { $0.concurrency = 8 }) { rig in
      try dropAll(count, rig)
      try await until("one question, and the others to wait") {
        let counts = try await rig.daemon.status().counts
        return counts["awaiting-confirmation"] == 1 && (counts.queued.int ?? 0) == count - 1
      }
      #expect(try await rig.sandbox.count("upload") <= 8)
      let gate = try #require(try await rig.daemon.status().gates.array.first)
      #expect(gate.destination == "storage.main" && gate.reason == "question" && gate.until.isNull)
      let jobs = try await rig.daemon.jobs()
      let asking = try #require(jobs.first { $0.state == "awaiting-confirmation" }?.job.int)
      #expect(jobs.filter { $0.state == "queued" }.allSatisfy { $0.held_by.reason == "question" })
      let status = try await rig.daemon.waybill("status").output
      #expect(status.contains(/storage.main is on hold: it has a question, for [^:]+: waybill ask\n/), "\(status)")
      // the answer comes too early: the same question again, and no other
      #expect(try await rig.daemon.waybill("confirm", String(asking)).status == 0)
      try await until("the question again") { try await rig.daemon.job(asking).attempt == 2 }
      try await until("it to ask again") { try await rig.daemon.job(asking).state == "awaiting-confirmation" }
      #expect(try await rig.daemon.count("queued") == count - 1)
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", String(asking)).status == 0)
      try await until("all to come home") {
        try await rig.daemon.count("registered") == count
      }
    }
  }

  @Test func pausedDestinationIsNotTried() async throws {
    let unavailable: JSONValue = ["register": ["status": 503]]
    try await withRig(faults: unavailable) { rig in
      try rig.drop("1.pdf")
      try await until("the backend to be on hold") { try await rig.daemon.status().gates.array.first != nil }
      _ = try await rig.daemon.waybill("pause")
      let resumed = try await rig.daemon.waybill("resume", "--backend", "main").output
      #expect(resumed == "backend.main was not paused\nall is still paused: waybill resume\n", "\(resumed)")
    }
  }

  @Test func pauseSurvivesRestartUntilResume() async throws {
    try await withRig { rig in
      let paused = try await rig.daemon.waybill("pause", "--storage", "main")
      #expect(paused.status == 0 && paused.output.hasPrefix("storage.main paused by "))
      try dropAll(3, rig)
      try await until("the files to be claimed") { try await rig.daemon.count("queued") == 3 }
      let hold = try await rig.daemon.job(1).held_by
      #expect(hold.destination == "storage.main" && hold.reason == "paused" && hold.until.isNull)
      #expect(try await rig.daemon.waybill("list").output.contains("storage.main"))
      _ = try await rig.daemon.stop()
      try await rig.daemon.start()
      let pause = try #require(try await rig.daemon.status().pauses.array.first)
      #expect(pause.destination == "storage.main" && pause.reason == "paused" && pause.since.string != nil)
      #expect(try await rig.daemon.waybill("status").output.hasPrefix("storage.main is paused"))
      #expect(try await rig.sandbox.count("upload") == 0)
      #expect(try await rig.daemon.waybill("resume", "--storage", "main").output.hasPrefix("storage.main resumed by "))
      try await until("all to be registered") { try await rig.daemon.count("registered") == 3 }
      #expect(try await rig.daemon.status().pauses.array.isEmpty)
      let events = try await gateEvents(rig)
      #expect(events.map(\.event) == ["gate-closed", "gate-opened"])
      #expect(events.allSatisfy { $0.reason == "paused" && $0.by.uid.int == Int(getuid()) })
    }
  }
}
