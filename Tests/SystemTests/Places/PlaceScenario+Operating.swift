import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The scenarios of an operator.
extension PlaceScenario {
  func add(_ visit: PlaceVisit) async throws {
    let mine = "\(visit.place.elsewhere)/mine.pdf"
    try await visit.place.install(mine, "my own")
    let command = try await visit.place.operate([
      "waybill", "add", mine, "--spool", rawValue, "--name", "added.pdf", "--meta", "case=7", "--wait",
    ])
    #expect(command.status == 0, "\(command)")
    let job = try await visit.expectRegistered("added.pdf", "my own")
    #expect(job.metadata == ["case": "7"])
    #expect(try visit.place.read(mine) == "my own")
  }

  func release(_ visit: PlaceVisit) async throws {
    func operate(_ words: String...) async throws -> Command { try await visit.place.operate(["waybill"] + words) }
    let pause = try await operate("pause", "--spool", rawValue)
    #expect(pause.status == 0, "\(pause)")
    try await visit.drop("printf back > .x && mv .x back.pdf")
    let job = try await visit.place.job(named: "back.pdf", in: "queued")
    let number = String(job.job.int ?? 0)
    let cancel = try await operate("cancel", number)
    #expect(cancel.status == 0, "\(cancel)")
    let resume = try await operate("resume", "--spool", rawValue)
    #expect(resume.status == 0, "\(resume)")
    let returned = Self.returned(in: visit.place)
    // Another directory than the one that is meant, one that goes with the service, or one of the daemon's must not have it.
    for folder in ["/none", visit.spool] + visit.place.closed {
      let refused = try await operate("release", number, "--to", folder)
      #expect(refused.status == 1 && !refused.errors.isEmpty, "\(folder): \(refused)")
      #expect(try await visit.place.job(job.job.int ?? 0).state == "cancelled")
    }
    let release = try await operate("release", number, "--to", returned)
    #expect(release.status == 0, "\(release)")
    #expect(try visit.place.read("\(returned)/back.pdf") == "back")
    #expect(try await !visit.far.sandbox.objects().keys.contains { $0.hasSuffix("back.pdf") })
  }

  func reload(_ visit: PlaceVisit) async throws {
    try await visit.place.openSpool(visit.spool)
    try await visit.place.install("\(visit.place.settings)/waybill.d/\(rawValue).toml", section(in: visit.place))
    let reload = try await visit.place.reload()
    #expect(reload.status == 0, "\(reload)")
    try await visit.drop("printf new > .x && mv .x reloaded.pdf")
    try await visit.expectRegistered("reloaded.pdf", "new")
  }

  /// Puts the right secret where the wrong one is, and the job that waits for it goes on.
  func correctKey(_ visit: PlaceVisit) async throws {
    try await visit.drop("printf key > .x && mv .x key.pdf")
    try await visit.place.job(named: "key.pdf", in: "awaiting-credentials")
    try await visit.place.install(Self.laterSecret(in: visit.place), visit.far.sandbox.storage.secretKey + "\n")
    try await visit.expectRegistered("key.pdf", "key", after: "awaiting-credentials")
  }

  func answer(_ visit: PlaceVisit) async throws {
    let receiver = visit.far.receiver
    try await receiver.got("/ping")
    try await visit.sandbox.fail(["register": ["status": 422, "message": "number is taken"]])
    try await visit.drop("printf yes > .x && mv .x yes.pdf")
    let yes = try await visit.place.job(named: "yes.pdf", in: "awaiting-confirmation")
    #expect(yes.question.string?.contains("number is taken") == true, "\(yes)")
    let request = try await receiver.got("/hook")
    let notice = try JSONValue(parsing: request.body.string ?? "").notices.array.first
    #expect(notice?.event == "question" && notice?.id == yes.id, "\(request)")
    try await receiver.falls(silent: "/ping")

    try await visit.drop("printf no > .x && mv .x no.pdf")
    let no = try await visit.place.job(named: "no.pdf", in: "awaiting-confirmation")
    let listed = try await visit.waybill("list", "--state", "awaiting-confirmation")
    #expect(listed.contains("yes.pdf") && listed.contains("no.pdf"), "\(listed)")
    try await visit.waybill("cancel", "\(no.job.int ?? 0)")
    try await visit.waybill("discard", "--yes", "\(no.job.int ?? 0)")
    try await visit.sandbox.recover()
    try await visit.waybill("confirm", "\(yes.job.int ?? 0)")
    let job = try await visit.expectRegistered("yes.pdf", "yes", after: "awaiting-confirmation")
    #expect(job.id == yes.id)
    // The kernel says who asked for it.
    #expect(job.history.array.contains { $0.event == "confirmed" && !$0.by_user.isNull }, "\(job.history)")
    #expect(try await visit.place.job(no.job.int ?? 0).state == "discarded")
    #expect(try !visit.sandbox.registrations().contains { $0.body.id == no.id })
  }

  func readEntries(_ visit: PlaceVisit) async throws {
    try await visit.drop("printf told > .x && mv .x told.pdf")
    let job = try await visit.expectRegistered("told.pdf", "told")
    func entries(_ event: String) async throws -> [JSONValue] {
      try await visit.place.entries().filter { $0.WAYBILL_EVENT.string == event && $0.WAYBILL_ID == job.id }
    }
    let entry = try await until("the entry") { try await entries("registered").first }
    #expect(entry.WAYBILL_FILE == "told.pdf" && entry.WAYBILL_SPOOL.string == rawValue, "\(entry)")
    #expect(entry.PRIORITY == "6" && entry.MESSAGE_ID.string?.count == 32, "\(entry)")
    #expect(entry.WAYBILL_JOB.string == "\(job.job.int ?? 0)" && entry.MESSAGE.string?.isEmpty == false, "\(entry)")
    #expect(try await entries("registered").count == 1)
    #expect(try await visit.place.entries().contains { $0.WAYBILL_EVENT == "started" })
  }

  func listen(_ visit: PlaceVisit) async throws {
    try await visit.drop("printf heard > .x && mv .x heard.pdf")
    try await visit.expectRegistered("heard.pdf", "heard")
    for probe in ["healthz", "readyz"] {
      let answer = try await HTTPAnswer.call("GET", "\(visit.place.metrics)/\(probe)")
      #expect(answer.status == 200, "\(probe): \(answer)")
    }
    func registered(_ text: String) -> Bool {
      text.split(separator: "\n").contains {
        $0.hasPrefix("waybill_jobs{") && $0.contains("registered") && !$0.hasSuffix(" 0")
      }
    }
    let metrics = try await HTTPAnswer.call("GET", "\(visit.place.metrics)/metrics")
    #expect(metrics.status == 200 && registered(metrics.body), "\(metrics.body.prefix(2000))")
    #expect(try await HTTPAnswer.call("GET", "\(visit.place.metrics)/v1/status").status == 404)
  }

  func openPage(_ visit: PlaceVisit) async throws {
    try await visit.drop("printf shown > .x && mv .x shown.pdf")
    try await visit.expectRegistered("shown.pdf", "shown")
    let web = try ChildProcess(try visit.place.words(["waybill", "web"]))
    defer { web.cut() }
    let url = try await web.prints("a URL") { $0.hasSuffix("\n") }.dropLast()
    let parts = url.split(separator: "#", maxSplits: 1)
    let origin = parts[0].hasSuffix("/") ? String(parts[0].dropLast()) : String(parts[0])
    #expect(try await HTTPAnswer.call("GET", origin + "/").body.contains("<html"))
    #expect(try await HTTPAnswer.call("GET", origin + "/v1/status").status == 403)
    let token = ["-H", "X-Waybill-Token: \(parts.last ?? "")"]
    let jobs = try await HTTPAnswer.call("GET", origin + "/v1/jobs?name=shown", options: token)
    #expect(try jobs.json.jobs.array.map(\.name) == ["shown.pdf"], "\(jobs)")
  }

  func check(_ visit: PlaceVisit) async throws {
    let place = visit.place
    try await place.close(visit.spool)
    let configuration = "\(place.settings)/check.toml"
    try await place.install(configuration, Self.only(self, in: place, visit.far, daemon: place.daemonLines))
    let check = try await place.administer(["waybill", "check", "--no-keys", "--config", configuration])
    let told = check.output.split(separator: "\n").contains { $0.hasPrefix("!") && $0.contains(visit.spool) }
    #expect(check.status == 78 && told, "\(check)")
  }

  func copyLedger(_ visit: PlaceVisit) async throws {
    try await visit.drop("printf copied > .x && mv .x copied.pdf")
    let job = try await visit.expectRegistered("copied.pdf", "copied")
    let copy = "\(visit.place.elsewhere)/ledger.copy"
    for words in [["check"], ["backup", copy]] {
      let configuration = ["--config", "\(visit.place.settings)/waybill.toml"]
      let command = try await visit.place.administer(
        ["waybilld", "ledger", words[0]] + configuration + words.dropFirst())
      #expect(command.status == 0 && !command.output.contains("!"), "\(words): \(command)")
    }
    let bytes = try Data(contentsOf: URL(filePath: visit.place.outside(copy)))
    #expect(bytes.starts(with: Data("SQLite format 3".utf8)))
    #expect(bytes.range(of: Data((job.name.string ?? "").utf8)) != nil)
  }
}
