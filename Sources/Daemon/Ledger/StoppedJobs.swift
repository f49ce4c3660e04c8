import Jobs
import Messages
import SQLite

/// The jobs that a replaced ledger had stopped: aborted, cancelled, discarded or asked about. Their files must not be sent because of
/// the loss. They are in the table `stopped` from the replacement until recovery has stopped them again, in all spools.
enum StoppedJobs {
  /// A job as it was in the lost ledger.
  struct Entry {
    let id: JobID
    let state: JobState
    /// The reason why it was asked about; nil if it was not.
    let failure: Failure?
  }

  private static let states = "'aborted', 'cancelled', 'discarded', 'awaiting-confirmation'"

  /// Notes the stopped jobs that can be read in a ledger that may be damaged. It reads the pages from both ends, so that a bad
  /// page hides only the rows beyond it.
  static func salvage(from path: String, into db: Database) throws {
    guard let lost = try LedgerFiles.salvage(path, { $0 }) else { return }
    let columns = "id, state, failure_kind, failure_status, failure_code, failure_words"
    for order in ["ASC", "DESC"] {
      try copy("SELECT \(columns) FROM job WHERE state IN (\(states)) ORDER BY number \(order)", from: lost, into: db)
    }
    try copyPauses(from: lost, into: db)
    // a recovery of the lost ledger itself that was not finished
    try copy("SELECT id, state, kind, status, code, words FROM stopped", from: lost, into: db)
  }

  /// Copies the pauses, so that everything a person paused stays paused.
  private static func copyPauses(from lost: Database, into db: Database) throws {
    let pauses: [Pause]
    do {
      pauses = try PauseRow.read(lost)
    } catch {
      return  // they cannot be read, or the ledger is another version's
    }
    let known = Set(try PauseRow.read(db).map(\.target))
    for pause in pauses where pause.target != .recovered && !known.contains(pause.target) {
      try PauseRow.write(pause, into: db)
    }
  }

  private static func copy(_ sql: String, from lost: Database, into db: Database) throws {
    var found: [[(any Bindable)?]] = []
    do {
      var rows = try lost.rows(sql)
      while let row = try rows.next() {
        let (id, name): ([UInt8], String) = (row[0], row[1])
        guard id.count == 16, JobState(rawValue: name) != nil else { continue }
        let (kind, status, code, words): (String?, Int64?, String?, String?) = (row[2], row[3], row[4], row[5])
        found.append([id, name, kind, status, code, words])
      }
    } catch {
      // the rows read before count; that the ledger is damaged was already reported
    }
    for values in found { try db.execute("INSERT OR IGNORE INTO stopped VALUES (?, ?, ?, ?, ?, ?)", values) }
  }

  static func count(_ db: Database) throws -> Int {
    try db.value("SELECT count(*) FROM stopped") ?? 0
  }

  /// Returns the next of them in the order of their ids, after a given one.
  static func entries(after id: JobID?, limit: Int, in db: Database) throws -> [Entry] {
    try db.all(
      "SELECT id, state, kind, status, code, words FROM stopped WHERE id > ? ORDER BY id LIMIT ?",
      [id?.ledgerBytes ?? [], limit]
    ) { row -> Entry? in
      guard let id = row.withBytes(0, { JobID(ledgerBytes: $0) }), let state = JobState(rawValue: row[1]) else {
        return nil
      }
      let words: String? = row[5]
      let kind = (row[2] as String?).flatMap(Failure.Kind.init(rawValue:))
      let failure = words.map { Failure(kind ?? .configuration, Message(stored: $0), status: row[3], code: row[4]) }
      return Entry(id: id, state: state, failure: failure)
    }.compactMap(\.self)
  }

  /// Removes those that have a row: they are stopped again, and a person may continue them from now on.
  static func removeKnown(_ db: Database) throws {
    try db.execute("DELETE FROM stopped WHERE id IN (SELECT id FROM job)")
  }

  static func remove(_ db: Database) throws { try db.execute("DELETE FROM stopped") }
}
