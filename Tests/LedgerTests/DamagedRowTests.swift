import ChildProcesses
import Foundation
import Jobs
import MessageLiterals
import SQLite
import Testing

@testable import Ledger

/// A row may say anything: a value out of its bounds is told or brought within them, and nothing waits for ever because of it.
@Suite(.slot, .aside) struct DamagedRowTests {
  private static let lanes = Lanes.wide([
    .backend("main"), .storage("main"), .storage("asks"), .storage("throttles"), .storage("probes"),
  ])
  private static let numbers: [Int64] = [.min, -1, 0, 1 << 31, 1 << 53, .max]
  private static let texts = ["", "x", "\u{0}", "{", String(repeating: "9", count: 40)]

  private static func fill(_ box: LedgerBox) async throws {
    let ledger = try box.open()
    func admit(_ name: String, storage: String = "main") async throws -> Job {
      try #require(try await ledger.admit([.sample(name, storage: storage)], begin: 1, in: lanes).first)
    }
    func fail(_ job: Job, _ failure: Failure, _ verdict: Verdict) async throws {
      _ = try await ledger.finish(job, .failed(failure, verdict), thenTakeIn: nil)
    }
    let upload = { (job: Job) in
      MultipartUpload(id: "u", partSize: 5 << 20, checksum: "none", file: job.identity)
    }
    try await fail(admit("deferred"), Failure(.transient, "HTTP 500"), .retry(after: .seconds(60)))
    let stored = AttemptResult.uploaded(.sample(sha256: String(repeating: "0f", count: 32)))
    let registering = try #require(try await ledger.finish(admit("done"), stored, thenTakeIn: lanes).next)
    _ = try await ledger.finish(registering, .registered(.sample), remembers: true, thenTakeIn: nil)
    try await fail(admit("asks", storage: "asks"), Failure(.destination, "NoSuchBucket", status: 404), .ask)
    try await fail(
      admit("throttled", storage: "throttles"),
      Failure(.throttled, "429", status: 429, retryAfter: .seconds(60)), .wait(after: .seconds(60)))
    let begun = try await admit("cancelled")
    _ = try await ledger.beganParts(begun, upload(begun))
    try await fail(begun, Failure(.transient, "lost", mayHaveActed: true), .ask)
    _ = try await ledger.carryOut(.cancel(remove: true), on: .number(begun.number), by: .alice)
    let group = try await admit("group")
    try await ledger.list([(FileName("a"), group.identity), (FileName("b"), group.identity)], of: group.number)
    _ = try await ledger.began(upload(group), of: FileName("a"), group)
    try await ledger.store(try #require(StoredLink.sample.receipt), of: FileName("b"), group.number)
    try await ledger.beginCard()
    _ = try await ledger.admit([.kept(.sample("k"))], begin: 1, in: lanes)
    let parts = try await admit("parts")
    _ = try await ledger.beganParts(parts, upload(parts))
    try await fail(admit("refused", storage: "probes"), Failure(.credentials, "403", status: 403), .awaitCredentials)
    box.time.pass(.seconds(31))
    _ = try await ledger.beginDue(upTo: 9, in: lanes)  // a probe is in flight
    _ = try await ledger.pause(.spool("other"), by: .alice)
    ledger.record(Occurrence(.ledgerProblem, of: .ledger, at: box.time.now, message: "x"))
    try ledger.close()
  }

  /// The last row says a number that no ledger reaches. SQLite's own checks do not see that.
  @Test(arguments: zip(["event", "job"], ["sequence", "number"])) func numbersGoOnBesideADamagedOne(
    _ table: String, _ column: String
  ) async throws {
    let box = try LedgerBox()
    try await box.run { ledger in _ = try await ledger.admit([.sample("a"), .sample("b")]) }
    let db = try Database(path: box.directory + "/" + JobLedger.fileName)
    try db.execute("UPDATE \(table) SET \(column) = 1 << 53 WHERE \(column) = (SELECT max(\(column)) FROM \(table))")
    db.close()
    let ledger = try box.open()
    #expect(try await ledger.admit([.sample("c")], begin: 9, in: both).isEmpty == false)
    try ledger.close()
  }

  private static func damages(_ db: Database) throws -> [(
    table: String, column: String, value: any Bindable & Sendable
  )] {
    let tables: [String] = try db.column("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return try tables.filter { $0 != "form" }.flatMap { table in
      try db.all("SELECT name, type FROM pragma_table_info(?)", [table]) { row -> (String, String) in (row[0], row[1]) }
        .flatMap { column, type -> [(table: String, column: String, value: any Bindable & Sendable)] in
          switch type {
          case "INTEGER": numbers.map { (table, column, $0) }
          case "TEXT": texts.map { (table, column, $0) }
          default: [[], [0], [UInt8](repeating: 0xff, count: 16)].map { (table, column, $0) }
          }
        }
    }
  }

  /// In parts, for as many threads as there are.
  @Test(arguments: 0..<6) func rowsAreNeverTrusted(part: Int) async throws {
    let whole = try LedgerBox()
    try await Self.fill(whole)
    let name = "/" + JobLedger.fileName
    let db = try Database(path: whole.directory + name)
    for table in ["gate", "cleanup", "job", "member", "kept", "content", "stored", "registration"] {
      #expect(try db.value("SELECT count(*) FROM \(table)") ?? 0 > 0, "there are rows in \(table)")
    }
    let damages = try Self.damages(db)
    db.close()
    for (number, damage) in damages.enumerated() where Seeds.takes(number, of: 9) && number / 9 % 6 == part {
      let box = try LedgerBox()
      box.time.pass(.seconds(31))
      for file in [name, "/\(LedgerTrace.name)"] {
        try FileManager.default.copyItem(atPath: whole.directory + file, toPath: box.directory + file)
      }
      let db = try Database(path: box.directory + name)
      var isAccepted = true
      do {
        try db.execute("UPDATE \(damage.table) SET \(damage.column) = ?", [damage.value])
      } catch {
        // The table itself refuses it, or has it once.
        isAccepted = false
        // Ignored: what the schema does not allow is in no row.
        _ = try? db.execute("UPDATE OR REPLACE \(damage.table) SET \(damage.column) = ?", [damage.value])
      }
      db.close()
      let what = "\(damage.table).\(damage.column) = \(damage.value)"
      let ledger: JobLedger
      do {
        ledger = try box.open()
      } catch let error as LedgerError {
        #expect(!isAccepted || error.kind == .configuration && !error.words.isEmpty, "\(what): \(error.words)")
        continue
      }
      do {
        if isAccepted {
          try await look(ledger, box, what)
          try await goOn(ledger, box)
        }
      } catch let error as LedgerError {
        #expect(!error.words.isEmpty, "\(what) is told")
      } catch let refusal as Refusal {
        Issue.record("\(what): \(refusal)")
      }
      await live(ledger, box)
      _ = try? ledger.close()
    }
  }

  /// Does whatever else a daemon does with a ledger: it may be refused, and it never ends the process.
  private func live(_ ledger: JobLedger, _ box: LedgerBox) async {
    await trying { _ = try LedgerCheck(path: LedgerCheck.path(in: box.directory)).faults() }
    await trying { _ = try await ledger.counts(of: JobFilter()) }
    for order in [JobOrder.oldest, .newest] {
      await trying { _ = try await ledger.log(EventFilter(), order: order, limit: 100) }
      await trying { _ = try await ledger.log(EventFilter(), order: order, after: .max, limit: 100) }
    }
    await trying { _ = try await ledger.changes(after: 0, limit: 100, of: [JobNumber(rawValue: 1)]) }
    await trying { _ = try await ledger.oldestWaiting() }
    for number in 1...10 {
      let job = JobNumber(rawValue: Int64(number))
      await trying { _ = try await ledger.progress(of: job) }
      await trying { _ = try await ledger.carryOut(.retry, on: .number(job), by: .alice) }
    }
    await trying { _ = try await ledger.beginDue(upTo: 20, in: Self.lanes) }
    await trying { _ = try await ledger.beginDueCleanups(upTo: 20, in: Self.lanes) }
    await trying { _ = try await ledger.admit([.sample("more"), .kept(.sample("k"))], begin: 2, in: Self.lanes) }
    await trying { _ = try await ledger.pause(.all, by: .alice) }
    await trying { _ = try await ledger.resume(.all, by: .alice) }
    await trying { try await ledger.forget(ledger.done(before: box.time.now, after: nil, limit: 10)) }
    await trying { _ = try await ledger.forgetContents { _ in box.time.now } }
  }

  private func trying(_ body: () async throws -> Void) async {
    // Ignored: an error is as it should be.
    do { try await body() } catch {}
  }

  private func look(_ ledger: JobLedger, _ box: LedgerBox, _ what: String) async throws {
    let now = box.time.now
    let hour = Verdict.retryAfterLimits.upperBound
    let times = Timestamp(seconds: 0)...Timestamp(seconds: 253_402_300_800)
    for job in try await ledger.jobs(JobFilter(), limit: 100) {
      #expect(job.tries.upload >= 0 && job.tries.register >= 0 && job.delaysSpent >= 0, "\(what)")
      #expect(job.identity.size >= 0 && job.multipart?.partSize ?? 1 > 0, "\(what)")
      #expect(job.revision >= 0 && job.lastEvent >= 0, "\(what)")
      #expect([job.ticket.createdAt, job.updatedAt].allSatisfy(times.contains), "\(what)")
      #expect(
        [job.finishedAt, job.disposedAt, job.attemptStartedAt].compactMap(\.self).allSatisfy(times.contains), "\(what)")
      #expect(job.failure?.retryAfter ?? .zero >= .zero, "\(what)")
      if let time = job.nextAttemptAt { #expect(time <= now + RetryPolicy.longestWait, "\(what)") }
      _ = try await (ledger.history(of: job.number), ledger.attempts(of: job.number))
      for member in try await ledger.members(of: job.number, after: nil, limit: 9) {
        #expect(member.identity.size >= 0 && member.multipart?.partSize ?? 1 > 0, "\(what)")
      }
    }
    for gate in ledger.counts.gates.values {
      #expect(gate.nextTry.map { $0 <= now + hour } ?? true, "\(what)")
      #expect(gate.closure?.failedProbes ?? 0 >= 0, "\(what)")
      guard case .asking(_, let job, _) = gate.state else { continue }
      // Which destination its damaged ticket names does not matter: the gate's next try comes by itself.
      #expect(try await ledger.job(.number(job))?.state == .awaitingConfirmation, "\(what)")
    }
    for cleanup in try await ledger.read(CleanupRow.all) {
      #expect(cleanup.tries >= 0 && cleanup.nextAt.map { $0 <= now + hour } == true, "\(what)")
    }
    #expect(ledger.counts.lastFiles.values.allSatisfy { times.contains($0) }, "\(what)")
    #expect(ledger.counts.jobs.unfinished >= 0, "\(what)")
    let earlier = try await ledger.earlierContent(
      "documents", .sample, size: 3, sha256: String(repeating: "0f", count: 32), since: Timestamp(seconds: 0))
    #expect(earlier?.receipt.size ?? 0 >= 0, "\(what)")
    _ = try await ledger.standing(
      of: [.sample("k")], in: "card", .sample, options: SpoolOptions(name: "card", path: "/media/card"))
  }

  /// The ledger goes on: attempts begin and fail, cleanups are done, jobs are stopped, and new ones come.
  private func goOn(_ ledger: JobLedger, _ box: LedgerBox) async throws {
    box.time.pass(.seconds(3601))
    for _ in 1...3 {
      for job in try await ledger.beginDue(upTo: 20, in: Self.lanes) {
        let failure = Failure(.transient, "HTTP 500")
        _ = try await ledger.finish(job, .failed(failure, .retry(after: .seconds(1))), thenTakeIn: nil)
      }
      for cleanup in try await ledger.beginDueCleanups(upTo: 9, in: Self.lanes) {
        try await ledger.finish(cleanup, .failed(Failure(.network, "no route"), .awaitNetwork), landing: .seconds(600))
      }
      box.time.pass(.seconds(3601))
    }
    let last = ledger.counts
    let new = try await ledger.admit([.sample("new")], begin: 0, in: Self.lanes)
    #expect(new.isEmpty && ledger.counts.lastEvent > last.lastEvent)
    for job in try await ledger.jobs(JobFilter(), limit: 100) where !job.state.isTerminal {
      _ = try await ledger.carryOut(.cancel(), on: .number(job.number), by: .alice)
    }
  }
}
