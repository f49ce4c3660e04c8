import Foundation
import GRDB
import Jobs
import LinuxFiles

/// The jobs of a damaged ledger that a person or a 503 had stopped: their files are not to be sent because the ledger forgot
/// that.
enum StoppedJobs {
  /// Those that can be read.
  static func salvaged(from path: String) -> Set<JobID> {
    var ids: Set<JobID> = []
    do {
      // of a file without a byte SQLite would throw the log of writes away
      guard try OpenFile(following: Array(path.utf8)).facts().size > 0 else { return [] }
      let queue = try DatabaseQueue(path: path, configuration: .reading)
      defer { try? queue.close() }  // it was only read
      try queue.inDatabase { db in
        let rows = try Row.fetchCursor(
          db, sql: "SELECT id FROM job WHERE state IN ('aborted', 'cancelled') AND disposed_at IS NULL")
        while let row = try rows.next() {
          if let id = JobID(ledgerBytes: row[0]) { ids.insert(id) }
        }
      }
    } catch {
      // what was read before counts; that the ledger is damaged has been told
    }
    return ids
  }
}
