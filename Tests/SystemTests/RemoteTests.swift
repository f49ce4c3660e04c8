import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What a cancel leaves at the storage: settled and, if asked for, removed.
@Suite(.slot)
struct RemoteTests {
  private func remote(_ rig: Rig, is expected: String, line: Int = #line) async throws -> JSONValue {
    try await until("remote to be \(expected)", line: line) {
      let job = try await rig.daemon.job(1)
      return job.remote.string == expected ? .some(job) : .none
    }
  }

  private let later: (inout DaemonSetup) -> Void = {
    $0.delays = ["1h"]
    $0.waitForServers()
  }

  /// The answer was lost after the object was stored.
  @Test(.needs(.journald), arguments: [false, true])
  func findsObjectOfLostAnswer(_ remove: Bool) async throws {
    try await withRig(faults: ["upload": ["statuses": ["cut-after"]]], journal: true, later) { rig in
      try rig.drop("a.pdf")
      try await rig.daemon.job(named: "a.pdf", in: "deferred")
      #expect(try await rig.sandbox.objects().count == 1)
      if remove {
        #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
      } else {
        #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      }
      let job = try await remote(rig, is: remove ? "clean" : "object-left")
      #expect(try await rig.sandbox.objects().count == (remove ? 0 : 1))
      #expect(try await rig.sandbox.count("delete") == (remove ? 1 : 0))
      #expect(try await rig.sandbox.count("head") == (remove ? 2 : 1), "the request may have been sent twice")
      let event = remove ? "cleaned" : "object-left"
      #expect(job.history.array.last?.event.string == event)
      let entry = try await rig.journal?.entry("WAYBILL_EVENT=\(event)")
      #expect(entry?.WAYBILL_DESTINATION == "storage.main" && entry?.WAYBILL_JOB == "1")
      #expect(entry?.PRIORITY.string == (remove ? "5" : "4"))
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      let uploads = try await rig.sandbox.recorded("upload").count { $0.status == 200 }
      #expect(uploads == (remove ? 1 : 0), "what is there already is not sent again")
    }
  }

  @Test func jobBacklogDelaysNoCleanup() async throws {
    func setup(_ setup: inout DaemonSetup) {
      setup.concurrency = 2
      setup.waitForServers()
    }
    try await withRig(faults: ["register": ["statuses": [422]]], setup) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let held: JSONValue = ["upload": ["hold": true]]
      try await rig.sandbox.fail(held)
      for number in 1...120 { try rig.drop("\(number).txt") }
      try await until("the backlog") { try await rig.daemon.count("queued") > 60 }
      #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
      // Two uploads go on with each look, of which far more wait: the cleanup has its turn long before their end.
      try await until("the cleanup") {
        try await rig.sandbox.fail(held)
        return try await rig.daemon.job(1).remote == "clean"
      }
      #expect(try await rig.daemon.count("queued") > 0)
      try await rig.sandbox.recover()
      try await until("the end") { try await rig.daemon.count("registered") == 120 }
      #expect(try await rig.sandbox.objects().count == 120)
    }
  }
}
