import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// The journal as an operator reads it, in a real journald: events by name and by id, with the fields of the contract.
@Suite(.slot, .needs(.journald))
struct JournalEventTests {
  /// An event's fixed id and level, and the fields that each of its entries has.
  struct Event: Sendable {
    let name: String
    let id: String
    let priority: String
    let fields: [String]
    var without: [String] = []
  }

  private static let job = ["WAYBILL_JOB", "WAYBILL_ID", "WAYBILL_TRACE_ID", "WAYBILL_SPOOL", "WAYBILL_FILE"]
  private static let failure =
    job + ["WAYBILL_STEP", "WAYBILL_ATTEMPT", "WAYBILL_ERROR_KIND", "WAYBILL_HTTP_STATUS", "WAYBILL_ERROR_CODE"]
  private static let answer = job + ["WAYBILL_STEP", "WAYBILL_BY_UID", "WAYBILL_BY_USER"]

  private static let events: [Event] = [
    .init(
      name: "started", id: "cf9450d41d18431cb73079dce6d80ab9", priority: "6", fields: ["WAYBILL_VERSION"], without: job),
    .init(name: "admitted", id: "f9f1020ac6b0494cb422d7f5b770a02f", priority: "7", fields: job + ["WAYBILL_BYTES"]),
    .init(
      name: "activity", id: "7c24affe168f429599ac96f05a9ee535", priority: "6",
      fields: ["WAYBILL_ACTIVITY", "WAYBILL_UPLOADS", "WAYBILL_REGISTRATIONS"], without: job),
    .init(
      name: "uploaded", id: "da7199f79ac64671b6adbe8f0e98f1dc", priority: "7",
      fields: job + ["WAYBILL_LINK", "WAYBILL_BYTES", "WAYBILL_DURATION_USEC", "WAYBILL_ATTEMPT"]),
    .init(
      name: "registered", id: "9b47e1631e0f4e1187c7d315f9c43958", priority: "6",
      fields: job + ["WAYBILL_LINK", "WAYBILL_BYTES", "WAYBILL_DURATION_USEC", "WAYBILL_HTTP_STATUS"]),
    .init(
      name: "deferred", id: "26076c5c8bc44f2c82d3ce1fac8b9705", priority: "5",
      fields: failure + ["WAYBILL_NEXT_ATTEMPT"]),
    .init(
      name: "question", id: "6b0d7047473543ad9194e118f10f086b", priority: "4", fields: failure,
      without: ["WAYBILL_NEXT_ATTEMPT"]),
    .init(name: "confirmed", id: "361b8ccd38b54cdbb057fbbfc7d110a4", priority: "5", fields: answer),
    .init(name: "cancelled", id: "3d1e889a395147c19e92ecb533556f58", priority: "5", fields: answer),
    .init(name: "retried", id: "67e0463532624dcaa4e1fc490321445c", priority: "5", fields: answer),
    .init(name: "released", id: "f7812669863742a8824b7f489e0a0c99", priority: "5", fields: answer),
    .init(name: "discarded", id: "a82e060d803c405d8c82f65bdc85111c", priority: "5", fields: answer),
    .init(name: "aborted", id: "345178f95ca749d0a25d95952b58cc67", priority: "3", fields: failure),
    .init(
      name: "gate-closed", id: "0121eeda63c94a0ca55f2fabd6738454", priority: "4",
      fields: ["WAYBILL_DESTINATION", "WAYBILL_REASON", "WAYBILL_UNTIL"], without: job),
    .init(
      name: "gate-opened", id: "ba99ac6e951743c6a7b23b507bf0aa2d", priority: "5",
      fields: ["WAYBILL_DESTINATION", "WAYBILL_REASON"], without: job),
    .init(
      name: "spool-problem", id: "dcb851e40b734aab9db0a5db70f4cb8d", priority: "4",
      fields: ["WAYBILL_SPOOL", "WAYBILL_REASON"], without: ["WAYBILL_JOB"]),
    .init(
      name: "spool-overflow", id: "0c98bf4fcb3e45ee9461e1b8cb731757", priority: "4",
      fields: ["WAYBILL_SPOOL", "WAYBILL_REASON"], without: ["WAYBILL_JOB"]),
    .init(
      name: "stopping", id: "26294185c4cc414c91b283053a2dc3c7", priority: "6", fields: ["WAYBILL_VERSION"], without: job
    ),
  ]

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

  /// Found under its name and under its id alike, each entry with the event's fields.
  private func expect(_ event: Event, in journal: Journal) async throws {
    let named = try await journal.entries("WAYBILL_EVENT=" + event.name)
    #expect(!named.isEmpty, "\(event.name)")
    let identified = try await journal.entries("MESSAGE_ID=" + event.id)
    #expect(named.map { $0["__CURSOR"] } == identified.map { $0["__CURSOR"] }, "\(event.name)")
    for entry in named {
      #expect(entry.PRIORITY.string == event.priority, "\(event.name)")
      #expect(entry.MESSAGE.string?.isEmpty == false, "\(event.name)")
      for field in event.fields { #expect(entry[field].string?.isEmpty == false, "\(event.name): \(field)") }
      for field in event.without { #expect(!entry.has(field), "\(event.name): \(field)") }
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
