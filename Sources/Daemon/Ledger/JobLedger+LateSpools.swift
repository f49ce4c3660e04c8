public import Jobs

/// Jobs of spools whose claimed files are not all in the ledger yet.
extension JobLedger {
  /// Holds the jobs of a late spool from now on. Nobody waits for it: whatever is asked of the ledger after it finds the jobs held.
  public func holdLate(_ spool: String, by caller: Caller) {
    writer.record { batch in try batch.holdLate(spool, by: caller) }
  }

  /// Lets the jobs of a spool go on that is no longer late.
  public func endLate(_ spool: String) { writer.record { batch in try batch.endLate(spool) } }
}

extension LedgerBatch {
  fileprivate mutating func holdLate(_ spool: String, by caller: Caller) throws {
    let target = Pause.Target.late(spool)
    guard !memory.position.counts.isPaused(target) else { return }
    let pause = Pause(target, since: clock.now(), by: caller)
    try PauseRow.write(pause, into: db)
    memory.position.counts.pauses.append(pause)
    try pausesChanged()
  }

  fileprivate mutating func endLate(_ spool: String) throws {
    let target = Pause.Target.late(spool)
    guard memory.position.counts.isPaused(target) else { return }
    try PauseRow.delete(target, from: db)
    memory.position.counts.pauses.removeAll { $0.target == target }
    try pausesChanged()
  }
}
