import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A key that the storage refuses, and a bucket that is not there, in the middle of many files: by a server that others wrote.
@Suite(.slot, .needs(.ceph))
struct RealStorageGateTests {
  private func drop(_ numbers: ClosedRange<Int>, _ rig: Rig) throws {
    for number in numbers { try rig.drop("\(number).pdf") }
  }

  /// Waits until the key is refused, and nothing is in flight any more.
  ///
  /// - Returns: whether Ceph answered a bare AccessDenied, as it may while it still knows the key from before: that is one
  ///   question of the destination, which a person has to answer.
  private func untilRefused(_ count: Int, _ rig: Rig) async throws -> Bool {
    try await until("the key to be refused, and the others to wait") { () -> Bool? in
      let counts = try await rig.daemon.status().counts
      let asking = counts["awaiting-confirmation"].int ?? 0
      let waiting = (counts["awaiting-credentials"].int ?? 0) + asking
      let isAtRest = waiting > 0 && waiting + (counts.queued.int ?? 0) + (counts.registered.int ?? 0) == count
      return isAtRest ? asking > 0 : nil
    }
  }

  /// Answers the question that a bare AccessDenied leads to.
  private func answer(_ rig: Rig) async throws {
    let asking = try #require(try await rig.daemon.jobs().first { $0.state == "awaiting-confirmation" })
    #expect(asking.error.code == "AccessDenied")
    #expect(try await rig.daemon.waybill("confirm", String(asking.job.int ?? 0)).status == 0)
  }

  /// A delay is an hour: a job that spent one would not come home.
  @Test func revokedKeyWaitsWithoutSpendingDelays() async throws {
    let (early, count) = (500, 600)
    let (user, storage) = try await CephUser.make()
    try await S3Reader(storage: storage).makeBucket()
    try await withRig({
      $0.storage = storage
      $0.concurrency = 8
      $0.delays = ["1h"]
    }) { rig in
      try drop(1...early, rig)
      try await until("some to be registered") { try await rig.daemon.count("registered") > 20 }
      try await user.revoke(storage)
      // Ceph's tool may take longer than all these files do: some more come once the key is gone for certain.
      try drop(early + 1...count, rig)
      let isBare = try await untilRefused(count, rig)
      #expect(try await rig.daemon.count("awaiting-credentials") <= 8)
      #expect(try await rig.daemon.count("registered") < count, "the key was taken away on the way")
      let gate = try #require(try await rig.daemon.status().gates.array.first)
      #expect(gate.destination == "storage.main" && gate.reason.string == (isBare ? "question" : "credentials"))
      if !isBare { try await probeInVain(rig) }

      var setup = rig.setup
      setup.storage.accessKey += "-2"
      setup.storage.secretKey += "-2"
      try await user.allow(setup.storage)
      try setup.writeKeys()
      if isBare { try await answer(rig) }
      // By the new key: the next probe by itself is minutes away.
      try await until("the gate to open") {
        try await rig.daemon.status().gates.array.isEmpty
      }
      try await until("all to be registered") { try await rig.daemon.count("registered") == count }
      #expect(try rig.sandbox.registrations().count == count)
      let events = try await rig.daemon.events(through: "registered", count: count)
      #expect(events.filter { $0.event == "question" }.allSatisfy { $0.job.error.code == "AccessDenied" })

      // The same key, taken away and given back at the server: one probe finds out.
      try await user.revoke(setup.storage)
      try drop(count + 1...count + 50, rig)
      let isBareAgain = try await untilRefused(count + 50, rig)
      try await user.allow(setup.storage)
      if isBareAgain {
        try await answer(rig)
      } else {
        // The first probe by itself comes after half a minute: this one is sooner, unless the machine is very busy.
        let probe = try await rig.daemon.jobs().last { $0.state == "awaiting-credentials" }?.job.int
        if let probe { _ = try await rig.daemon.waybill("confirm", String(probe)) }
      }
      try await until("all to be registered") { try await rig.daemon.count("registered") == count + 50 }
      #expect(try rig.sandbox.registrations().count == count + 50)
    }
  }

  private func probeInVain(_ rig: Rig) async throws {
    let waiting = try #require(try await rig.daemon.jobs().first { $0.state == "awaiting-credentials" })
    #expect(waiting.error.code == "InvalidAccessKeyId" && waiting.next_attempt_at.isNull && waiting.question.isNull)
    // Probes that fail in between change nothing, but that the next one by itself is further away than this test waits.
    for _ in 1...4 { try await probe(rig, waiting.job.int ?? 0) }
  }

  /// Has a job probe, and waits until that has failed.
  private func probe(_ rig: Rig, _ job: Int) async throws {
    let tries = try await rig.daemon.job(job).attempt.int ?? 0
    #expect(try await rig.daemon.waybill("confirm", String(job)).status == 0)
    try await until("the probe to fail") {
      let job = try await rig.daemon.job(job)
      return job.state == "awaiting-credentials" && (job.attempt.int ?? 0) > tries
    }
  }
}
