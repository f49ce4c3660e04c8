import Jobs
import SQLite

/// A row of `gate`: a gate that is not open.
enum GateRow {
  /// The durable part of a gate's state. A probe that was in flight is, after a crash, one that is to begin; where a question is
  /// open meanwhile, the gate asks again, and its probe is due.
  private enum StoredState: String {
    case closed
    case asking
    case halfOpen = "half-open"
  }

  /// Writes the state of a gate; nothing is kept for an open one.
  static func write(_ gate: Gate?, of destination: Destination, _ clock: Clock, into db: Database) throws {
    guard let gate, let closure = gate.closure, let (state, job) = state(of: gate) else {
      try db.execute("DELETE FROM gate WHERE destination = ?", [destination.text])
      return
    }
    let offset = clock.now() - clock.steady()
    try db.execute(
      "INSERT OR REPLACE INTO gate VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      [
        destination.text, state.rawValue, closure.reason.rawValue, closure.since.microseconds,
        gate.nextTry.map { ($0 + offset).microseconds }, job?.rawValue, closure.failedProbes,
        closure.lastProbe?.rawValue,
      ])
  }

  /// Returns the gates that are not open, by destination.
  static func read(_ db: Database, _ clock: Clock) throws -> [Destination: Gate] {
    var gates: [Destination: Gate] = [:]
    var rows = try db.rows(
      "SELECT destination, state, reason, since, until, job, failed_probes, last_probe FROM gate")
    var askers: [Destination: JobNumber] = [:]
    while let row = try rows.next() {
      var reader = ColumnReader(row: row)
      let destination = try Destination(stored: reader.next())
      let state: StoredState = try reader.nextCase()
      let reason: Gate.Reason = try reader.nextCase()
      let since = Timestamp(microseconds: reader.next())
      let until = reader.nextTime()
      let job: Int64? = reader.optional()
      let failedProbes: Int = reader.next()
      let lastProbe: Int64? = reader.optional()
      let closure = Gate.Closure(
        reason: reason, since: since, failedProbes: failedProbes, lastProbe: lastProbe.map(JobNumber.init(rawValue:)))
      gates[destination] = Gate(
        Self.state(state, closure, until: until, job: job.map(JobNumber.init(rawValue:)), clock))
      if state == .asking { askers[destination] = job.map(JobNumber.init(rawValue:)) }
    }
    for (destination, asker) in askers {
      guard case .asking(var closure, _, let until)? = gates[destination]?.state else { continue }
      closure.rejection = try JobRow.job(asker, in: db)?.failure.flatMap(Gate.Rejection.init)
      gates[destination] = Gate(.asking(closure, asker, until: until))
    }
    return gates
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
    _ state: StoredState, _ closure: Gate.Closure, until: Timestamp?, job: JobNumber?, _ clock: Clock
  ) -> Gate.State {
    // no gate stays closed for longer than that, even if somebody set the clock meanwhile
    let latest = clock.now() + Verdict.retryAfterLimits.upperBound
    let steady = clock.steady() + (until.map { min($0, latest) - clock.now() } ?? .zero)
    switch (state, until, job) {
    case (.closed, _?, _): return .closed(closure, until: steady)
    case (.asking, _, let job?): return .asking(closure, job, until: steady)
    case (.closed, nil, _), (.asking, _, nil), (.halfOpen, _, _): return .halfOpen(closure, probe: job)
    }
  }
}

/// A row of `pause`.
enum PauseRow {
  static func write(_ pause: Pause, into db: Database) throws {
    try db.execute(
      "INSERT OR REPLACE INTO pause VALUES (?, ?, ?, ?)",
      [pause.target.name, pause.since.microseconds, Int64(pause.by.uid), pause.by.user])
  }

  static func delete(_ target: Pause.Target, from db: Database) throws {
    try db.execute("DELETE FROM pause WHERE target = ?", [target.name])
  }

  /// Returns the pauses, the oldest first.
  static func read(_ db: Database) throws -> [Pause] {
    try db.all("SELECT target, since, by_uid, by_user FROM pause ORDER BY since, target") { row in
      let uid: UInt32 = row[2]
      return Pause(
        try Pause.Target(stored: row[0]), since: Timestamp(microseconds: row[1]), by: Caller(uid: uid, user: row[3]))
    }
  }
}
