public import Jobs
import Linux
import SQLite

/// Jobs of spools that several hosts share.
extension JobLedger {
  /// Holds the jobs of a shared spool from now on, because this host does not hold the spool. Nobody waits for it: whatever is
  /// asked of the ledger after it finds the jobs held.
  ///
  /// - Parameters:
  ///   - occurrence: what is told, unless the jobs are held already.
  ///   - caller: the daemon itself.
  ///   - then: called once that is durable, on the ledger's own thread.
  public func standBy(
    _ spool: String, telling occurrence: Occurrence?, by caller: Caller, then: @escaping @Sendable () -> Void = {}
  ) {
    writer.record({ batch in try batch.standBy(spool, telling: occurrence, by: caller) }, then: then)
  }

  /// Lets the jobs of a spool go on that is no longer shared.
  public func endStandBy(_ spool: String) {
    writer.record { batch in try batch.endStandBy(spool, telling: nil) }
  }

  /// Lets the jobs of a shared spool go on, because this host holds it and all that it found there is in the ledger.
  ///
  /// - Parameters:
  ///   - tenure: the id of the time in which it holds the spool.
  ///   - occurrence: what is told, unless the jobs were not held.
  public func beginTenure(of spool: String, _ tenure: String, recording occurrence: Occurrence?) async throws {
    try await writer.perform { batch in
      try batch.db.execute("INSERT OR REPLACE INTO tenure VALUES (?, ?)", [spool, tenure])
      try batch.endStandBy(spool, telling: occurrence)
    }
  }

  /// Returns the last tenure of a shared spool for which ``beginTenure(of:_:recording:)`` was called; nil if it never was.
  public func completedTenure(of spool: String) async throws -> String? {
    try await read { db in try db.value("SELECT id FROM tenure WHERE spool = ?", [spool]) }
  }

  /// Makes jobs of claimed files that this host has taken over, and gives known jobs what stands beside their files, in one
  /// commit.
  ///
  /// - Parameters:
  ///   - admissions: the files; those whose id is known already make no new job.
  ///   - inheritances: what stands beside the files, by id; a job without one is left as it is.
  public func takeOver(_ admissions: [Admission], _ inheritances: [JobID: Inheritance]) async throws {
    try await writer.perform { batch in
      try batch.admit(admissions)
      let made = Dictionary(admissions.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      for (id, inheritance) in inheritances {
        guard let number = try batch.number(of: .id(id)) else { continue }
        if let admission = made[id] { try batch.renewTicket(of: number, admission) }
        guard let job = try batch.job(number) else { continue }
        // Of a group's objects only the host that had it last knows which are there.
        if inheritance.from != nil || job.state == .moved { try MemberRow.forgetAll(of: number, in: batch.db) }
        guard let now = try batch.apply(.tookOver(inheritance), to: job) else { continue }
        try batch.applyAnswerToGate(job, now)
        // The record beside the file may answer it: a link, or an end.
        if now.state == .queued, now.step == .upload, let question = made[id]?.mustAsk {
          _ = try batch.apply(.mustAsk(question), to: now)
        }
      }
    }
  }

  /// Notes that the files of these registered or discarded jobs are another host's to dispose of.
  public func disposedElsewhere(_ jobs: [Job]) async throws {
    try await writer.perform { batch in
      for job in jobs {
        guard let now = try batch.job(job.number) else { continue }
        _ = try batch.apply(.disposed, to: now)
      }
    }
  }

  /// Ends jobs here whose file another host has.
  public func moveAway(_ jobs: [JobNumber], to host: String) async throws {
    guard !jobs.isEmpty else { return }
    try await writer.perform { batch in
      for number in jobs {
        guard let job = try batch.job(number), let now = try batch.apply(.movedAway(to: host), to: job) else {
          continue
        }
        try batch.applyAnswerToGate(job, now)
      }
    }
  }
}

extension LedgerBatch {
  /// The two files of a pair may have been claimed by two hosts. Then the job that this one has is of the document alone, and becomes one
  /// of both.
  fileprivate mutating func renewTicket(of number: JobNumber, _ admission: Admission) throws {
    guard let known = try job(number)?.ticket.parcel else { return }
    let ticket = admission.ticket(number)
    guard (ticket.parcel.sidecar == nil) != (known.sidecar == nil) else { return }
    try JobRow.renew(ticket, of: number, in: db)
  }

  fileprivate mutating func standBy(_ spool: String, telling occurrence: Occurrence?, by caller: Caller) throws {
    let target = Pause.Target.standby(spool)
    if !memory.position.counts.isPaused(target) {
      let pause = Pause(target, since: clock.now(), by: caller)
      try PauseRow.write(pause, into: db)
      memory.position.counts.pauses.append(pause)
      try pausesChanged()
    }
    if let occurrence { try publish(occurrence) }
  }

  fileprivate mutating func endStandBy(_ spool: String, telling occurrence: Occurrence?) throws {
    let target = Pause.Target.standby(spool)
    if memory.position.counts.isPaused(target) {
      try PauseRow.delete(target, from: db)
      memory.position.counts.pauses.removeAll { $0.target == target }
      try pausesChanged()
    }
    if let occurrence { try publish(occurrence) }
  }
}
