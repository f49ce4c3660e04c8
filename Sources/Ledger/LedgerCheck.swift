import Foundation
import GRDB
public import Jobs
import LinuxFiles

/// Checks a ledger by reading alone, in use or not: every page, every row, and the references between rows.
///
/// Only one thread may use it.
public final class LedgerCheck {
  /// A job whose file must be in its spool's `.waybill`.
  public struct Expected: Sendable, Hashable {
    /// The job's number.
    public let number: JobNumber
    /// The job's id, with which the file's name begins.
    public let id: JobID
    /// The name of the job's spool.
    public let spool: String
    /// The name of the job's file.
    public let name: FileName
  }

  private let queue: DatabaseQueue
  /// The ledger's file.
  public let path: String

  /// Opens the ledger of a state directory, or a copy of one by its own path.
  ///
  /// - Throws: ``LedgerError`` if it cannot be opened for reading.
  public init(path: String) throws(LedgerError) {
    self.path = path
    do {
      queue = try DatabaseQueue(path: path, configuration: .reading)
    } catch let error as DatabaseError where error.isOfDamage {
      throw LedgerError(.damaged, "\(path) is damaged: \(error.message ?? "\(error.resultCode)")")
    } catch {
      throw LedgerError(.configuration, "\(path) cannot be opened: \(error)")
    }
  }

  deinit { try? queue.close() }  // it was only read

  /// The path of the ledger in a state directory.
  public static func path(in directory: String) -> String { directory + "/" + LedgerFiles.name }

  /// Returns the faults of the ledger itself, in words; none if it is whole.
  ///
  /// - Throws: ``LedgerError`` for a ledger that another version of the program wrote, or that cannot be read for a reason
  ///   outside it.
  public func faults() throws(LedgerError) -> [String] {
    do {
      return try queue.read { db in
        let pages = try String.fetchAll(db, sql: "PRAGMA integrity_check(100)").filter { $0 != "ok" }
        guard pages.isEmpty else { return pages }
        let migrator = LedgerSchema.migrator
        if try migrator.hasBeenSuperseded(db) {
          throw LedgerError(.configuration, "\(path) was written by a newer version")
        }
        guard try !migrator.appliedMigrations(db).isEmpty else {
          throw LedgerError(.configuration, "\(path) is no ledger")
        }
        // the rows of an older form can be read only after they are brought up to date
        guard try migrator.hasCompletedMigrations(db) else { return [] }
        return try Self.strays(db) + Self.unreadable(db)
      }
    } catch let error as LedgerError {
      throw error
    } catch let error as DatabaseError where error.isOfDamage {
      return [error.message ?? "\(error.resultCode)"]
    } catch {
      throw LedgerError(.configuration, "\(path) cannot be read: \(error)")
    }
  }

  /// Returns the fault of the log of writes beside the ledger, if SQLite itself does not report it.
  public func logFault() throws -> String? {
    let file: OpenFile
    do throws(FileError) {
      file = try OpenFile(following: Array((path + "-wal").utf8))
    } catch {
      guard error.code == "ENOENT" else { throw error }
      return nil
    }
    return try WriteAheadLog.damage(of: file)
  }

  /// Returns the number of jobs.
  public func count() throws -> Int {
    try queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM job") ?? 0 }
  }

  /// Returns those of these ids that no job has.
  public func unknown(_ ids: some Sequence<JobID>) throws -> [JobID] {
    try queue.read { db in
      let statement = try db.cachedStatement(sql: "SELECT 1 FROM job WHERE id = ?")
      return try ids.filter { id in
        try Row.fetchOne(statement, arguments: [Data(id.ledgerBytes)]) == nil
      }
    }
  }

  /// Calls the body for each job that must have a file: all except those that are done or are being released.
  public func forEachExpected(_ body: (Expected) throws -> Void) throws {
    try queue.read { db in
      let rows = try Row.fetchCursor(
        db, sql: "SELECT number, id, spool, name, path FROM job WHERE \(Self.needsFile) ORDER BY number")
      while let row = try rows.next() {
        guard let id = JobID(ledgerBytes: row[1]) else { continue }  // told as a row that cannot be read
        let (name, path): (Data, Data?) = (row[3], row[4])
        let dropped = FileName(FileName(bytes: Array(name)), in: path.map { Array($0) } ?? [])
        try body(Expected(number: JobNumber(rawValue: row[0]), id: id, spool: row[2], name: dropped))
      }
    }
  }

  /// Returns true if a job's file must still be there.
  public func isExpected(_ number: JobNumber) throws -> Bool {
    try queue.read { db in
      try Row.fetchOne(
        db, sql: "SELECT 1 FROM job WHERE number = ? AND \(Self.needsFile)", arguments: [number.rawValue]) != nil
    }
  }

  private static let needsFile =
    "state NOT IN ('registered', 'discarded') AND disposed_at IS NULL AND release_to IS NULL"

  /// Returns the faults of rows that belong to no job.
  private static func strays(_ db: Database) throws -> [String] {
    try ["stored", "registration", "answer", "multipart", "attempt", "event"].compactMap { table in
      let count = try Int.fetchOne(
        db,
        sql: "SELECT count(*) FROM \(table) WHERE job IS NOT NULL AND NOT EXISTS (SELECT 1 FROM job WHERE number = job)"
      )
      guard let count, count > 0 else { return nil }
      return "\(count) rows of \(table) belong to no job"
    }
  }

  /// Returns the faults of rows with values that this program does not know.
  private static func unreadable(_ db: Database) throws -> [String] {
    var faults: [String] = []
    let rows = try Row.fetchCursor(db, sql: "\(JobRow.select) ORDER BY number")
    while faults.count < 100, let row = try rows.next() {
      do {
        _ = try JobRow.job(row)
      } catch let error as LedgerError {
        let number: Int64 = row[0]
        faults.append("job \(number) cannot be read: \(error.words)")
      }
    }
    return faults
  }
}
