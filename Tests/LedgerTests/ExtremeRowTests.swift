import ChildProcesses
import Foundation
import Jobs
import MessageLiterals
import Messages
import SQLite
import Testing

@testable import Ledger

/// Each number of each row of a ledger has each extreme value once. The ledger may refuse to open, or throw; it never ends the process.
@Suite(.slot, .aside) struct ExtremeRowTests {
  @Test func noNumberOfAnyRowEndsProcess() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try await ExtremeRows().tryAll()
    }
    let last = result.map { String(decoding: $0.standardErrorContent.suffix(2000), as: UTF8.self) }
    if result?.exitStatus != .exitCode(0) { Issue.record("\(last ?? "")") }
  }
}

/// A ledger with something in each table, and what a daemon does with it.
private struct ExtremeRows {
  private static let alice = Caller(uid: 1000, user: "alice")
  private static let values: [Int64] = [.min, -1, 0, 1 << 31, .max]

  private let box: LedgerBox

  init() throws { box = try LedgerBox() }

  func tryAll() async throws {
    let template = try TemporaryFolder()
    defer { template.remove() }
    try await fill()
    let path = LedgerCheck.path(in: box.directory)
    let kept = template.file("ledger")
    try FileManager.default.copyItem(atPath: path, toPath: kept)
    var cases = 0
    for (table, column) in try Self.numbers(of: path) {
      for value in Self.values {
        FileHandle.standardError.write(Data("\(table).\(column) = \(value)\n".utf8))
        for name in try FileManager.default.contentsOfDirectory(atPath: box.directory) {
          try FileManager.default.removeItem(atPath: "\(box.directory)/\(name)")
        }
        try FileManager.default.copyItem(atPath: kept, toPath: path)
        let db = try Database(path: path)
        // Ignored: what the schema does not allow is in no row.
        _ = try? db.execute("UPDATE OR REPLACE \(table) SET \(column) = ?", [value])
        db.close()
        await live()
        cases += 1
      }
    }
    guard cases > 400 else { fatalError("\(cases) cases alone: there are no rows") }
  }

  /// The columns of numbers in tables that have rows.
  private static func numbers(of path: String) throws -> [(String, String)] {
    let db = try Database(path: path)
    defer { db.close() }
    let tables: [String] = try db.column("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return try tables.filter { try db.value("SELECT count(*) FROM \"\($0)\"") ?? 0 > 0 }.flatMap { table in
      try (db.column("SELECT name FROM pragma_table_info(?) WHERE type = 'INTEGER'", [table]) as [String])
        .map { (table, $0) }
    }
  }

  /// One job of each kind, and what stands beside them.
  private func fill() async throws {
    let ledger = try box.open()
    let jobs = try await ledger.admit((1...9).map { .sample("\($0)") }, begin: 8, in: both)
    func end(_ place: Int, _ result: AttemptResult) async throws {
      _ = try await ledger.finish(jobs[place], result, thenTakeIn: nil)
    }
    try await end(
      0, .failed(Failure(.transient, "502", status: 502, retryAfter: .seconds(5)), .retry(after: .seconds(9))))
    try await end(1, .failed(Failure(.rejected, "422", status: 422), .ask))
    try await end(2, .failed(Failure(.unavailable, "503", status: 503), .abort))
    try await end(3, .failed(Failure(.transient, "lost", mayHaveActed: true), .ask))
    _ = try await ledger.carryOut(.cancel(remove: true), on: .number(jobs[3].number), by: Self.alice)
    let file = FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5)
    _ = try await ledger.beganParts(
      jobs[4], MultipartUpload(id: "u", partSize: 5 << 20, checksum: "sha256", file: file))
    try await end(4, .failed(Failure(.transient, "lost"), .retry(after: .seconds(9))))
    try await end(5, .uploaded(.sample))
    for job in try await ledger.beginDue(upTo: 9, in: both) where job.step == .register {
      _ = try await ledger.finish(job, .registered(.sample), thenTakeIn: nil)
    }
    try await ledger.list(
      [(path: FileName("a"), identity: file), (path: FileName("b"), identity: file)], of: jobs[6].number)
    _ = try await ledger.began(
      MultipartUpload(id: "m", partSize: 5 << 20, checksum: "sha256", file: file), of: FileName("a"), jobs[6])
    try await ledger.store(try #require(StoredLink.sample.receipt), of: FileName("b"), jobs[6].number)
    _ = try await ledger.begin(
      KeptSource(path: "/card", epoch: nil, ledger: nil), of: "card", .sample, isConfigured: { _ in true })
    _ = try await ledger.admit([.kept(.sample("k"))], begin: 1, in: both)
    _ = try await ledger.pause(.spool("other"), by: Self.alice)
    try await ledger.expectFiles(in: ["documents", "other"])
    ledger.record(Occurrence(.ledgerProblem, of: .ledger, at: box.time.now, message: .text("x")))
    try ledger.close()
  }

  /// All that a daemon does with a ledger. Errors are as they should be.
  private func live() async {
    await trying { _ = try LedgerCheck(path: LedgerCheck.path(in: box.directory)).faults() }
    var opened: JobLedger?
    await trying { opened = try box.open() }
    guard let ledger = opened else { return }
    await trying { _ = try await ledger.jobs(JobFilter(), after: nil, order: .oldest, limit: 100) }
    await trying { _ = try await ledger.counts(of: JobFilter()) }
    for order in [JobOrder.oldest, .newest] {
      await trying { _ = try await ledger.log(EventFilter(), order: order, limit: 100) }
      await trying { _ = try await ledger.log(EventFilter(), order: order, after: .max, limit: 100) }
    }
    await trying { _ = try await ledger.changes(after: 0, limit: 100, of: [JobNumber(rawValue: 1)]) }
    await trying { _ = try await ledger.oldestWaiting() }
    await trying {
      let options = SpoolOptions(name: "card", path: "/card")
      _ = try await ledger.standing(of: [.sample("k"), .sample("n")], in: "card", .sample, options: options)
    }
    await trying { _ = try await ledger.progress(of: JobNumber(rawValue: 7)) }
    await trying { _ = try await ledger.members(of: JobNumber(rawValue: 7), after: nil, unstored: false, limit: 9) }
    for number in 1...10 {
      let job = JobNumber(rawValue: Int64(number))
      await trying { _ = try await ledger.history(of: job) }
      await trying { _ = try await ledger.attempts(of: job) }
      await trying { _ = try await ledger.carryOut(.retry, on: .number(job), by: Self.alice) }
    }
    for _ in 0..<3 {
      box.time.pass(.seconds(3600))
      await trying {
        for job in try await ledger.beginDue(upTo: 20, in: both) {
          let failure = Failure(.transient, "502", status: 502)
          _ = try await ledger.finish(job, .failed(failure, Verdict.retry(after: .seconds(1))), thenTakeIn: both)
        }
      }
      await trying {
        for cleanup in try await ledger.beginDueCleanups(upTo: 20, in: both) {
          try await ledger.finish(
            cleanup, .failed(Failure(.transient, "502"), .retry(after: .seconds(1))), landing: .seconds(600))
        }
      }
    }
    await trying { _ = try await ledger.admit([.sample("more"), .kept(.sample("k"))], begin: 2, in: both) }
    await trying { _ = try await ledger.pause(.all, by: Self.alice) }
    await trying { _ = try await ledger.resume(.all, by: Self.alice) }
    await trying { _ = try await ledger.forget(before: box.time.now, after: nil, atMost: 10) }
    await trying { _ = try await ledger.forgetContents { _ in box.time.now } }
    await trying { try ledger.close() }
  }

  private func trying(_ body: () async throws -> Void) async {
    do { try await body() } catch {}
  }
}
