import Jobs
import Linux
import SQLite

/// Checks a ledger by reading alone, in use or not: every page, every row, and the references between rows.
///
/// Only one thread may use it.
public final class LedgerCheck {
  private let db: Database
  /// The ledger's file.
  public let path: String

  /// Opens the ledger of a state directory, or a copy of one by its own path.
  ///
  /// - Throws: ``LedgerError`` if it cannot be opened for reading.
  public init(path: String) throws(LedgerError) {
    self.path = path
    do throws(FileError) {
      _ = try OpenFile(following: Array(path.utf8))
    } catch {
      throw LedgerError(
        error.mayPass ? .unavailable : .configuration, "\(path) cannot be opened: \(error.reason) (\(error.code))")
    }
    do {
      db = try Database(path: path, .reading)
    } catch  where error.isOfDamage {
      throw LedgerError(.damaged, "\(path) is damaged: \(error.message)")
    } catch {
      throw LedgerError(error.mayPass ? .unavailable : .configuration, "\(path) cannot be opened: \(error)")
    }
  }

  /// The path of the ledger in a state directory.
  public static func path(in directory: String) -> String { directory + "/" + LedgerFiles.name }

  /// Returns the faults of the ledger itself, in words; none if it is whole.
  ///
  /// - Throws: ``LedgerError`` for a ledger that another version of the program wrote, or that cannot be read for a reason
  ///   outside it.
  public func faults() throws(LedgerError) -> [String] {
    do {
      return try db.transaction(.deferred) {
        let pages = try (db.column("PRAGMA integrity_check(100)") as [String]).filter { $0 != "ok" }
        guard pages.isEmpty else { return pages }
        if let refusal = try LedgerSchema.refusal(of: db) { throw LedgerError(.configuration, "\(path) \(refusal)") }
        guard try LedgerSchema.form(of: db) != nil else { throw LedgerError(.configuration, "\(path) is no ledger") }
        return try inconsistencies() + unreadable()
      }
    } catch let error as LedgerError {
      throw error
    } catch let error as SQLiteError where error.isOfDamage {
      return [error.message]
    } catch {
      throw LedgerError(LedgerError.mayPass(error) ? .unavailable : .configuration, "\(path) cannot be read: \(error)")
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
    try db.value("SELECT count(*) FROM job") ?? 0
  }

  /// Returns the faults between rows that no query of the daemon shows.
  private func inconsistencies() throws -> [String] {
    let strays = LedgerSchema.tablesOfJobs.map { table, column in
      (
        "rows of \(table) belong to no job",
        """
        SELECT count(*) FROM \(table) WHERE \(column) IS NOT NULL \
        AND NOT EXISTS (SELECT 1 FROM job WHERE job.number = \(table).\(column))
        """
      )
    }
    return try (strays + Self.countedFaults).compactMap { words, sql in
      guard let count: Int = try db.value(sql), count > 0 else { return nil }
      return "\(count) \(words)"
    }
  }

  /// These faults in words, and the queries that count their rows.
  private static let countedFaults = [
    ("rows of job have no ticket", "SELECT count(*) FROM job WHERE number NOT IN (SELECT job FROM ticket)"),
    (
      "rows of event are in no job's history",
      """
      SELECT count(*) FROM event WHERE job IS NOT NULL \
      AND sequence NOT IN (SELECT previous FROM event WHERE previous IS NOT NULL UNION ALL SELECT last_event FROM job)
      """
    ),
    (
      "histories of jobs lack their older events",
      """
      SELECT (SELECT count(*) FROM job WHERE last_event > 0 AND NOT EXISTS
          (SELECT 1 FROM event WHERE event.sequence = job.last_event AND event.job = job.number))
        + (SELECT count(*) FROM event AS later WHERE previous > 0 AND NOT EXISTS
          (SELECT 1 FROM event WHERE event.sequence = later.previous AND event.job = later.job
            AND event.sequence < later.sequence))
      """
    ),
    (
      "rows of sent belong to no file",
      "SELECT count(*) FROM sent WHERE NOT EXISTS (SELECT 1 FROM kept WHERE source = sent.source AND name = sent.name)"
    ),
    (
      "rows of kept are on no list",
      "SELECT count(*) FROM kept WHERE source NOT IN (SELECT number FROM source)"
    ),
    (
      "rows of source count their files wrongly",
      "SELECT count(*) FROM source WHERE files <> (SELECT count(*) FROM kept WHERE kept.source = source.number)"
    ),
  ]

  /// Returns the faults of rows with values that this program does not know, or that contradict each other.
  private func unreadable() throws -> [String] {
    var faults: [String] = []
    var rows = try db.rows("\(JobRow.select) ORDER BY job.number")
    while faults.count < 100, let row = try rows.next() {
      do {
        let job = try JobRow.job(row)
        faults += try contradictions(of: job)
      } catch let error as LedgerError {
        let number: Int64 = row[0]
        faults.append("job \(number) cannot be read: \(error.words)")
      }
    }
    return faults
  }

  /// Returns the faults of the columns that follow from a job and are there for the indexes alone.
  private func contradictions(of job: Job) throws -> [String] {
    try db.first(
      "SELECT presence, noticed, destination FROM job WHERE number = ?", [job.number.rawValue]
    ) { row -> [String] in
      let (presence, noticed, destination): (Int?, String?, String) = (row[0], row[1], row[2])
      let wrong = [
        (presence != FilePresence(of: job)?.rawValue, "has the wrong presence: no search for files finds it"),
        (noticed != job.noticed?.rawValue, "has the wrong noticed state: no search by state finds it"),
        (destination != job.destination.text, "has the wrong destination: it is not begun there"),
        (
          (job.state == .deferred) != (job.nextAttemptAt != nil),
          "is \(job.state.rawValue) \(job.nextAttemptAt == nil ? "without a time" : "with a time"): nothing wakes it"
        ),
      ]
      return wrong.compactMap { isWrong, words in isWrong ? "job \(job.number) \(words)" : nil }
    } ?? []
  }
}
