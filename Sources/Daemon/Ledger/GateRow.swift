import Jobs
import SQLite

/// A row of `gate`: a gate that is not open.
enum GateRow {
  /// The columns, as the table declares them. `until` is on the steady clock (``CarriedTimes``). `job` is the job that asks, or that is to
  /// probe.
  static let declared = [
    "destination TEXT PRIMARY KEY", "state TEXT NOT NULL", "reason TEXT NOT NULL", "since INTEGER NOT NULL",
    "until INTEGER", "job INTEGER", "failed_probes INTEGER NOT NULL", "last_probe INTEGER",
  ]

  /// The durable part of a gate's state. After a crash, a probe that was in flight is still to begin. If a question is open, the gate
  /// asks again, and its probe is due.
  private enum StoredState: String {
    case closed
    case asking
    case halfOpen = "half-open"
  }

  static func write(_ gate: Gate?, of destination: Destination, into db: Database) throws {
    guard let gate, let closure = gate.closure, let (state, job) = state(of: gate) else {
      try db.execute("DELETE FROM gate WHERE destination = ?", [destination.text])
      return
    }
    try db.execute(
      "INSERT OR REPLACE INTO gate VALUES (\(declared.marks))",
      [
        destination.text, state.rawValue, closure.reason.rawValue, closure.since.microseconds,
        gate.nextTry?.microseconds, job?.rawValue, closure.failedProbes, closure.lastProbe?.rawValue,
      ])
  }

  static func read(_ db: Database, _ steady: Timestamp) throws -> [Destination: Gate] {
    var gates: [Destination: Gate] = [:]
    var rows = try db.rows("SELECT \(declared.names.listed) FROM gate")
    while let row = try rows.next() {
      var reader = ColumnReader(row: row)
      let destination = try Destination(stored: reader.next())
      let state: StoredState = try reader.nextCase()
      let (reason, since): (Gate.Reason, Timestamp) = (try reader.nextCase(), reader.nextTime())
      let (until, job) = (reader.optionalTime(), reader.optionalNumber())
      var closure = Gate.Closure(
        reason: reason, since: since, failedProbes: reader.nextCount(), lastProbe: reader.optionalNumber())
      let awaited = try job.flatMap { try mayBeAwaited($0, state, at: destination, in: db) ? $0 : nil }
      if state == .asking, let awaited {
        closure.rejection = try JobRow.job(awaited, in: db)?.failure.flatMap(Gate.Rejection.init)
      }
      gates[destination] = Gate(Self.state(state, closure, until: until, job: awaited, steady))
    }
    return gates
  }

  /// Returns true if a job can still end a gate's wait for it, by its answer, its attempt or its cleanup.
  private static func mayBeAwaited(
    _ job: JobNumber, _ state: StoredState, at destination: Destination, in db: Database
  ) throws -> Bool {
    let asks = "state = 'awaiting-confirmation'"
    let found: Int? = try db.value(
      """
      SELECT 1 FROM job WHERE number = ?1 AND destination = ?2 AND \(LedgerSchema.Condition.unfinished) \
      AND \(state == .asking ? asks : "NOT \(asks)") \
      UNION ALL SELECT 1 FROM cleanup WHERE job = ?1 AND 'storage.' || storage = ?2 AND ?3
      """, [job.rawValue, destination.text, state != .asking])
    return found != nil
  }

  private static func state(of gate: Gate) -> (StoredState, JobNumber?)? {
    switch gate.state {
    case .open: nil
    case .closed: (.closed, nil)
    case .asking(_, let job, _): (.asking, job)
    case .halfOpen(let closure, let job): closure.asker.map { (.asking, $0) } ?? (.halfOpen, job)
    case .probing(let closure, let job): closure.asker.map { (.asking, $0) } ?? (.halfOpen, job)
    }
  }

  private static func state(
    _ state: StoredState, _ closure: Gate.Closure, until: Timestamp?, job: JobNumber?, _ steady: Timestamp
  ) -> Gate.State {
    switch (state, until, job) {
    case (.closed, let until?, _): .closed(closure, until: until)
    case (.asking, let until, let job?): .asking(closure, job, until: until ?? steady)
    case (.closed, nil, _), (.asking, _, nil), (.halfOpen, _, _): .halfOpen(closure, probe: job)
    }
  }
}

enum PauseRow {
  static func write(_ pause: Pause, into db: Database) throws {
    try db.execute(
      "INSERT OR REPLACE INTO pause VALUES (?, ?, ?, ?)",
      [pause.target.name, pause.since.microseconds, Int64(pause.by.uid), pause.by.user])
  }

  static func delete(_ target: Pause.Target, from db: Database) throws {
    try db.execute("DELETE FROM pause WHERE target = ?", [target.name])
  }

  static func read(_ db: Database) throws -> [Pause] {
    try db.all("SELECT target, since, by_uid, by_user FROM pause ORDER BY since, target") { row in
      let uid: UInt32 = row[2]
      return Pause(
        try Pause.Target(stored: row[0]), since: Timestamp(stored: row[1]), by: Caller(uid: uid, user: row[3]))
    }
  }
}
