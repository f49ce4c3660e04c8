import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// The journal as an operator reads it, in a real journald. Names, ids and fields are in JournalFieldTests.
@Suite(.slot, .needs(.journald))
struct JournalEventTests {
  @Test func entriesHaveTheirValues() async throws {
    try await withRig(
      journal: true,
      {
        $0.delays = ["1h"]
        $0.daemonLines = ["journal = \"debug\""]
      }
    ) { rig in
      try await rig.drop("good.pdf", until: "registered")
      try await rig.sandbox.fail(["upload": ["status": 500]])
      try rig.drop("waits.pdf")
      try await until("the deferral") { try await rig.daemon.count("deferred") == 1 }
      try await rig.sandbox.fail(["upload": ["status": 400, "code": "InvalidRequest"]])
      #expect(try await rig.daemon.waybill("confirm", "2").status == 0)
      try await rig.daemon.job(named: "waits.pdf", in: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("cancel", "2", "--reason", "not needed").status == 0)
      try await rig.sandbox.fail(["upload": ["status": 503, "retry_after": 1]])
      try await rig.drop("aborted.pdf", until: "aborted")
      let journal = try #require(rig.journal)
      try await until("the rest at the end") {
        try await journal.entries("WAYBILL_EVENT=activity").last?.WAYBILL_ACTIVITY == "idle"
      }
      #expect(try await rig.daemon.stop() == .exit(0))
      try await expectValues(in: journal)
    }
  }

  private func expectValues(in journal: Journal) async throws {
    let good = try await journal.entry("WAYBILL_EVENT=registered", "WAYBILL_FILE=good.pdf")
    #expect(good.MESSAGE == "good.pdf uploaded and registered")
    #expect(good.WAYBILL_BYTES == "11" && good.WAYBILL_HTTP_STATUS == "201" && good.WAYBILL_JOB == "1")
    #expect(good.WAYBILL_LINK.string == "s3://documents/\(good.WAYBILL_ID.string ?? "")/good.pdf")
    let deferred = try await journal.entry("WAYBILL_EVENT=deferred")
    #expect(
      deferred.WAYBILL_STEP == "upload" && deferred.WAYBILL_ATTEMPT == "1" && deferred.WAYBILL_HTTP_STATUS == "500")
    #expect(deferred.WAYBILL_ERROR_KIND == "transient" && deferred.WAYBILL_ERROR_CODE == "InternalError")
    let dayAndHour = (deferred.WAYBILL_NEXT_ATTEMPT.string ?? "").wholeMatch(
      of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/)
    #expect(dayAndHour != nil, "\(deferred.WAYBILL_NEXT_ATTEMPT)")
    let question = try await journal.entry("WAYBILL_EVENT=question")
    #expect(question.WAYBILL_ATTEMPT == "2" && question.WAYBILL_HTTP_STATUS == "400")
    #expect(question.WAYBILL_ERROR_KIND == "rejected" && question.WAYBILL_ERROR_CODE == "InvalidRequest")
    let cancelled = try await journal.entry("WAYBILL_EVENT=cancelled")
    #expect(cancelled.WAYBILL_BY_UID.string == String(getuid()) && cancelled.WAYBILL_REASON == "not needed")
    let aborted = try await journal.entry("WAYBILL_EVENT=aborted", "WAYBILL_FILE=aborted.pdf")
    #expect(aborted.MESSAGE == "Upload of aborted.pdf aborted: service unavailable (503)")
    #expect(aborted.WAYBILL_ERROR_KIND == "unavailable" && aborted.WAYBILL_HTTP_STATUS == "503")
    let activity = try await journal.entries("WAYBILL_EVENT=activity")
    #expect(activity.first?.WAYBILL_ACTIVITY == "busy" && activity.last?.WAYBILL_ACTIVITY == "idle")
  }

  /// A journald that does not read for 10 s is told of and holds up no job, and no entry is lost without a word.
  @Test func stuckJournaldBlocksNothing() async throws {
    try await withRig(journal: true) { rig in
      let journal = try #require(rig.journal)
      try await rig.drop("first.pdf", until: "registered")
      try await journal.entry("WAYBILL_FILE=first.pdf", "WAYBILL_EVENT=registered")
      try journal.signal(SIGSTOP)
      let stopped = ContinuousClock.now
      do {
        defer { do { try journal.signal(SIGCONT) } catch { Issue.record("\(error)") } }
        try await rig.drop((1...500).map { .init(name: Array("\($0).pdf".utf8), data: [1]) })
        try await until("all to be registered while journald stands still") {
          try await rig.daemon.count("registered") == 501
        }
        try await rig.expectTold("the journal does not take entries", remedy: "systemd-journald", area: "journal")
        try await until("10 s of it") { ContinuousClock.now - stopped >= .seconds(10) }
      }
      try await until("every entry, or the word of those that were dropped") {
        let told = try await journal.entries("WAYBILL_EVENT=registered").count
        let dropped = try await journal.counts(of: "journal-overflow").events
        return told == 501 || (told < 501 && dropped > 0 && told + dropped >= 501)
      }
      try await rig.expectOver()
      #expect(try await rig.daemon.stop() == .exit(0))
    }
  }
}
