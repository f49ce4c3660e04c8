import Jobs
import Linux
import SQLite

/// Checks a ledger by reading alone, in use or not: every page, and every row of a job.
///
/// Only one thread may use it.
package final class LedgerCheck {
  let db: Database
  package let path: String

  /// Opens the ledger of a state directory, or a copy of one by its own path.
  package init(path: String) throws(LedgerError) {
    self.path = path
    do {
      _ = try OpenFile(following: Array(path.utf8))
      db = try Database(path: path, .reading)
    } catch let error as SQLiteError where error.isOfDamage {
      throw LedgerError(.damaged, "\(path) is damaged: \(error.message)")
    } catch {
      throw LedgerError(opening: path, error)
    }
  }

  package static func path(in directory: String) -> String { directory + "/" + LedgerFiles.name }

  /// Returns the faults of the ledger itself, in words; none if it is whole.
  package func faults() throws(LedgerError) -> [String] {
    do {
      return try db.transaction(.deferred) {
        let pages = try (db.column("PRAGMA integrity_check(100)") as [String]).filter { $0 != "ok" }
        guard pages.isEmpty else { return pages }
        if let refusal = try LedgerSchema.refusal(of: db) { throw LedgerError(.configuration, "\(path) \(refusal)") }
        guard try LedgerSchema.form(of: db) != nil else { throw LedgerError(.configuration, "\(path) is no ledger") }
        return try unreadable()
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
  package func logFault() throws -> String? {
    let file: OpenFile
    do throws(FileError) {
      file = try OpenFile(following: Array((path + "-wal").utf8))
    } catch {
      guard error.code == "ENOENT" else { throw error }
      return nil
    }
    return try WriteAheadLog.damage(of: file)
  }

  package func count() throws -> Int {
    try db.value("SELECT count(*) FROM job") ?? 0
  }

  /// Returns the faults of rows with values that this program does not know.
  private func unreadable() throws -> [String] {
    var faults: [String] = []
    var rows = try db.rows("\(JobRow.select) ORDER BY job.number")
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
