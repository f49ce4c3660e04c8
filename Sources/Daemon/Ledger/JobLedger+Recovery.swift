package import Jobs
import Messages
import SQLite

/// Recovery after a loss: stopped jobs stay stopped, and jobs that may no longer be wanted are held.
extension JobLedger {
  /// Stops again the jobs that the replaced ledger had stopped, if they are not stopped here.
  /// A job that asked a question asks again. The others are cancelled, even if they were aborted or discarded, because nothing may be
  /// deleted on the evidence of a ledger that was given up.
  package func stopAgain(by caller: Caller) async throws {
    guard mayHaveForgotten else { return }
    var last: JobID?
    while true {
      let after = last
      last = try await writer.perform { batch in
        let entries = try StoppedJobs.entries(after: after, limit: 256, in: batch.db)
        for entry in entries { try batch.stopAgain(entry, by: caller) }
        return entries.last?.id
      }
      if last == nil { return }
    }
  }

  /// Declares that every file in `.waybill` has its row and is stopped if it was stopped before. After a loss all jobs that
  /// would go on by themselves are held from now on until a person resumes them.
  /// `isLate`: true for a spool that came later than the others; `holds`: false if no file was claimed in it, so that no job must be
  /// held; `isWhole`: false if spools are still missing. Until they come, the stopped jobs without a row are kept for them, and the
  /// ledger counts as one that may have forgotten jobs.
  /// Returns the number of jobs that are held.
  @discardableResult
  package func finishRecovery(
    by caller: Caller, isLate: Bool = false, holds: Bool = true, isWhole: Bool = true
  ) async throws -> Int {
    guard mayHaveForgotten else { return 0 }
    return try await writer.perform { batch in
      try batch.write()
      if !isLate { try batch.forgetRemovals() }
      let held = holds ? batch.counts.movingByThemselves : 0
      if held > 0 { try batch.holdRecovered(held, by: caller) }
      guard isWhole else {
        try StoppedJobs.removeKnown(batch.db)
        return held
      }
      try StoppedJobs.remove(batch.db)
      try LedgerOpening.Mark.set(.none, in: batch.db)
      return held
    }
  }
}

extension LedgerCounts {
  package var movingByThemselves: Int { JobState.allCases.reduce(0) { $1.movesByItself ? $0 + jobs[$1] : $0 } }
}

extension LedgerBatch {
  fileprivate mutating func stopAgain(_ entry: StoppedJobs.Entry, by caller: Caller) throws {
    guard let number = try number(of: .id(entry.id)), let job = try job(number) else { return }
    let stopped: Job?
    switch (entry.state, job.state) {
    case (.awaitingConfirmation, _):
      let reason = entry.failure?.message ?? .reasonNotKnown
      let failure = Failure(
        entry.failure?.kind ?? .configuration, reason, status: entry.failure?.status, code: entry.failure?.code)
      stopped = try apply(.mustAsk(failure), to: job)
    case (.aborted, .aborted):
      stopped = nil
    case (_, .aborted):
      // after that abort the job was retried, and then stopped by a person
      let retried = try apply(.command(.retry, by: caller), to: job) ?? job
      stopped = try cancel(retried, entry, by: caller)
    case (_, let state) where !state.isTerminal:
      stopped = try cancel(job, entry, by: caller)
    default:
      stopped = nil
    }
    if let stopped { try applyAnswerToGate(job, stopped) }
  }

  private mutating func cancel(_ job: Job, _ entry: StoppedJobs.Entry, by caller: Caller) throws -> Job? {
    let reason = "it was \(entry.state.rawValue) in the ledger that this one replaces"
    return try apply(.command(.cancel(reason: reason), by: caller), to: job)
  }

  /// Keeps objects that were to be removed: each may have been wanted again since.
  fileprivate func forgetRemovals() throws {
    try db.execute(
      """
      UPDATE cleanup SET aim = 'look' WHERE aim = 'remove' \
      AND id NOT IN (SELECT id FROM stopped WHERE state IN ('cancelled', 'discarded'))
      """)
  }
}

/// The jobs that a replaced ledger had stopped: aborted, cancelled, discarded or asked about. Their files must not be sent because of
/// the loss. They are in the table `stopped` from the replacement until recovery has stopped them again, in all spools.
enum StoppedJobs {
  /// A job as it was in the lost ledger.
  struct Entry {
    let id: JobID
    let state: JobState
    /// The reason of its question; nil without one.
    let failure: Failure?
  }

  private static let states = "'aborted', 'cancelled', 'discarded', 'awaiting-confirmation'"

  /// Notes the stopped jobs that can be read in a ledger that may be damaged. It reads the pages from both ends, so that a bad
  /// page hides only the rows beyond it.
  static func salvage(from path: String, into db: Database) throws {
    guard let lost = try LedgerFiles.salvage(path, { $0 }) else { return }
    let failures =
      "failure_kind, failure_status, failure_code, failure_words FROM job LEFT JOIN trouble ON job = number"
    // where the failures cannot be read, the states may be
    for (columns, order) in [failures, "NULL, NULL, NULL, NULL FROM job"].flatMap({ [($0, "ASC"), ($0, "DESC")] }) {
      try copy("SELECT id, state, \(columns) WHERE state IN (\(states)) ORDER BY number \(order)", from: lost, into: db)
    }
    try copyPauses(from: lost, into: db)
    // a recovery of the lost ledger itself that was not finished
    try copy("SELECT id, state, kind, status, code, words FROM stopped", from: lost, into: db)
  }

  private static func copyPauses(from lost: Database, into db: Database) throws {
    let pauses: [Pause]
    do {
      pauses = try PauseRow.read(lost)
    } catch {
      return  // the pauses cannot be read, or the ledger is another version's
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

  /// Returns the next stopped jobs in the order of their ids, after a given one.
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

  /// Removes the jobs that have a row: they are stopped again, and a person may continue them from now on.
  static func removeKnown(_ db: Database) throws {
    try db.execute("DELETE FROM stopped WHERE id IN (SELECT id FROM job)")
  }

  static func remove(_ db: Database) throws { try db.execute("DELETE FROM stopped") }
}
