import ChildProcesses
import Foundation
import Jobs
import SQLite
import Testing

@testable import Ledger

/// From each schema that was ever released to that of today, with the jobs that were there.
///
/// `Fixtures/schema-N.sql` is a ledger as migration N left it. Once a schema has been released, neither its migration nor
/// its fixture changes any more: a change is a new migration, with a fixture of its own. Until then
/// `WAYBILL_WRITE_FIXTURES=1 swift test --filter MigrationTests` writes that of the last migration anew.
@Suite(.serialized) struct MigrationTests {
  private static let folder = Products.source("Tests/LedgerTests/Fixtures")
  private static let schemas = Array(1...LedgerSchema.migrations.count)

  private static func fixture(_ schema: Int) -> String { "\(folder)/schema-\(schema).sql" }

  private static func makeLedger(_ schema: Int, in box: LedgerBox) throws {
    let sql = try String(contentsOfFile: fixture(schema), encoding: .utf8)
    let db = try Database(path: box.directory + "/" + JobLedger.fileName)
    try db.execute(script: sql)
    db.close()
  }

  private static func schema(_ db: Database) throws -> [String] {
    try db.column("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY name")
  }

  @Test(arguments: schemas) func aMigrationIsWhatItsFixtureSaysThatItWas(_ schema: Int) async throws {
    if schema == Self.schemas.last, ProcessInfo.processInfo.environment["WAYBILL_WRITE_FIXTURES"] == "1" {
      try await Self.write(schema)
    }
    let box = try LedgerBox()
    try Self.makeLedger(schema, in: box)
    let fixture = try Database(path: box.directory + "/" + JobLedger.fileName)
    let made = try Database(path: ":memory:")
    let migrations = LedgerSchema.migrations.prefix(schema)
    try SchemaMigration.run(Array(migrations), on: made)
    #expect(try Self.schema(fixture) == Self.schema(made), "see MigrationTests for what to do")
    #expect(try SchemaMigration.applied(to: fixture) == Set(migrations.map(\.name)))
  }

  @Test(arguments: schemas) func theJobsOfEachSchemaAreThereInThatOfToday(_ schema: Int) async throws {
    let box = try LedgerBox()
    try Self.makeLedger(schema, in: box)
    let ledger = try box.open()
    #expect(ledger.setAside == nil)
    let fresh = try Database(path: ":memory:")
    try SchemaMigration.run(LedgerSchema.migrations, on: fresh)
    #expect(try await ledger.pool.read { try Self.schema($0) } == Self.schema(fresh))

    let jobs = try await ledger.jobs(JobFilter(), limit: 100)
    #expect(jobs.map(\.ticket.name.text) == ["registered.pdf", "asks.pdf", "cancelled.pdf", "queued.pdf"])
    #expect(jobs.map(\.state) == [.registered, .awaitingConfirmation, .cancelled, .queued])
    #expect(jobs.map(\.number.rawValue) == [1, 2, 3, 4])
    #expect(jobs.first?.stored == .sample && jobs.first?.registration == .sample)
    #expect(jobs.allSatisfy { $0.ticket.metadata == ["a": "ä\n"] && $0.identity.changed == .max })
    #expect(jobs.dropFirst().first?.failure?.status == 422)
    #expect(try await ledger.history(of: JobNumber(rawValue: 3)).last?.by?.user == "anna")
    #expect(try await ledger.attempts(of: JobNumber(rawValue: 1)).map(\.outcome) == [.succeeded, .succeeded])
    #expect(ledger.counts.pausedTargets.map(\.destination) == ["spool.documents"])
    _ = try await ledger.admit([.sample("next.pdf")])
    #expect(try await ledger.jobs(JobFilter(), limit: 100).last?.number.rawValue == 5)
    try ledger.close()
    #expect(try LedgerCheck(path: LedgerCheck.path(in: box.directory)).faults() == [])
    let backup = FileManager.default.fileExists(
      atPath: box.directory + "/" + JobLedger.fileName + ".before-migration")
    #expect(backup == (schema != Self.schemas.last), "a migration backs up what it changes")
  }

  /// The ledger that the tests above expect, as SQL.
  private static func write(_ schema: Int) async throws {
    let box = try LedgerBox()
    try await fill(try box.open())
    let ledger = box.directory + "/" + JobLedger.fileName
    let sql = try await Command.require(["sqlite3", ledger, ".dump"])
    try sql.write(toFile: fixture(schema), atomically: true, encoding: .utf8)
  }

  private static func fill(_ ledger: JobLedger) async throws {
    let jobs = try await ledger.admit(
      ["registered.pdf", "asks.pdf", "cancelled.pdf"].map { .sample($0) }, begin: 3, in: both)
    let stored = try await ledger.finish(jobs[0], .uploaded(.sample), thenTakeIn: both).next
    if let stored { _ = try await ledger.finish(stored, .registered(.sample), thenTakeIn: Lanes.none) }
    _ = try await ledger.finish(
      jobs[1], .failed(Failure(.rejected, "HTTP 422: no", status: 422), .ask), thenTakeIn: Lanes.none)
    let caller = Caller(uid: 1000, user: "anna")
    _ = try await ledger.answer(
      .number(jobs[2].number), .cancel(Cancellation(by: caller, reason: nil, remove: false)), revision: nil)
    _ = try await ledger.admit([.sample("queued.pdf")])
    _ = try await ledger.pause(.spool("documents"), by: caller)
    try ledger.close()
  }
}
