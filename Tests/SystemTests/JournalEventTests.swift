import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// The journal as an operator reads it, in a real journald: events by name and by id, with the fields of the contract.
@Suite(.slot, .needs(.journald))
struct JournalEventTests {
  /// The events of the test.
  private static let events = [
    "started", "admitted", "activity", "uploaded", "registered", "deferred", "question", "confirmed", "cancelled",
    "retried",
    "released", "discarded", "aborted", "gate-closed", "gate-opened", "spool-problem", "spool-overflow", "stopping",
  ]
  /// The promised fields that not every entry has.
  private static let optional: Set = [
    "WAYBILL_COUNT", "WAYBILL_REASON", "WAYBILL_MESSAGE_CODE", "WAYBILL_MESSAGE_ARGUMENTS",
  ]
  private static let optionalWithoutJob: Set = ["WAYBILL_BY_UID", "WAYBILL_BY_USER", "WAYBILL_UNTIL"]

  @Test func everyEventHasNameAndID() async throws {
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
      for name in ["aborted.pdf", "back.pdf", "gone.pdf"] { try await rig.drop(name, until: "aborted") }
      let outside = rig.folder.appending(path: "outside").path
      #expect(try await rig.daemon.waybill("release", "4", "--to", outside).status == 0)
      #expect(try await rig.daemon.waybill("discard", "5", "--yes").status == 0)
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("retry", "3").status == 0)
      try await rig.daemon.job(named: "aborted.pdf", in: "registered")
      let many = Dictionary(uniqueKeysWithValues: (0..<70).map { ("user.waybill.a\($0)", [UInt8(0x31)]) })
      try await rig.drop([.init(name: Array("many.pdf".utf8), data: [1], attributes: many)])
      try await rig.daemon.job(named: "many.pdf", in: "registered")
      try await overflow(rig)
      let journal = try #require(rig.journal)
      // it also rested before, while the gate was closed
      try await until("the overflow, and the rest at the end") {
        if try await journal.entries("WAYBILL_EVENT=spool-overflow").isEmpty { return false }
        return try await journal.entries("WAYBILL_EVENT=activity").last?.WAYBILL_ACTIVITY == "idle"
      }
      #expect(try await rig.daemon.stop() == .exit(0))
      for event in Self.events { try await expect(event, in: journal) }
      try await expectValues(in: journal)
    }
  }

  /// Found under its name and under its id alike, each entry with the priority and the fields that are promised, and no other.
  private func expect(_ event: String, in journal: Journal) async throws {
    let promised = try Promised.lines("journal").map { $0.split(separator: " ").map(String.init) }.filter {
      $0[0] == event
    }
    let head = try #require(promised.first { $0.count == 3 }, "\(event)")
    let fields = Set(promised.filter { $0.count == 2 }.map { $0[1] })
    let optional = Self.optional.union(fields.contains("WAYBILL_JOB") ? [] : Self.optionalWithoutJob)
    let named = try await journal.entries("WAYBILL_EVENT=" + event)
    #expect(!named.isEmpty, "\(event)")
    let identified = try await journal.entries("MESSAGE_ID=" + head[1])
    #expect(named.map { $0["__CURSOR"] } == identified.map { $0["__CURSOR"] }, "\(event)")
    for entry in named {
      #expect(entry.PRIORITY.string == head[2], "\(event)")
      #expect(entry.MESSAGE.string?.isEmpty == false, "\(event)")
      for field in fields.subtracting(optional) { #expect(entry[field].string?.isEmpty == false, "\(event): \(field)") }
      let others = entry.members.keys.filter {
        $0.hasPrefix("WAYBILL_") && $0 != "WAYBILL_EVENT" && !fields.contains($0)
      }
      #expect(others.isEmpty, "\(event): \(others)")
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

  /// Fills the kernel's queue while the daemon cannot read it.
  private func overflow(_ rig: Rig) async throws {
    let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let count = (Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 16_384) + 1000
    let script = """
      import os, sys
      one, other = (os.path.join(sys.argv[1], name) for name in (".one", ".other"))
      open(one, "w").close()
      for _ in range(int(sys.argv[2])):
          os.rename(one, other)
          one, other = other, one
      os.unlink(one)
      """
    kill(try rig.daemon.pid, SIGSTOP)
    defer { do { kill(try rig.daemon.pid, SIGCONT) } catch { Issue.record("\(error)") } }
    try await Command.require(["python3", "-c", script, rig.setup.spool.path, String(count)])
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
