package import Jobs
import SQLite

/// The facts about the pipeline that decide why a job does not move.
package struct PipelineState: Sendable {
  package var lanes: Lanes
  package var isConfigured: @Sendable (Destination) -> Bool
  package var rate: @Sendable (Destination) -> (perSecond: Double, waiting: Int)?
  /// True once the daemon begins nothing more.
  package var isStopping: Bool

  package init(
    lanes: Lanes, isConfigured: @escaping @Sendable (Destination) -> Bool,
    rate: @escaping @Sendable (Destination) -> (perSecond: Double, waiting: Int)? = { _ in nil }, isStopping: Bool
  ) {
    self.rate = rate
    self.lanes = lanes
    self.isConfigured = isConfigured
    self.isStopping = isStopping
  }
}

extension JobLedger {
  /// Returns a job as it is now, with the one reason why it does not move; nil for one that has ended or is not there.
  package func standstill(
    of number: JobNumber, in place: PipelineState
  ) async throws -> (job: Job, standstill: Standstill)? {
    let facts = facts(in: place)
    let first = try await read { db in
      try JobRow.job(number, in: db).flatMap { job in
        try facts.standstill(
          of: job, { try JobRow.job($0, in: db) }, { try CleanupRow.cleanup(of: $0, in: db) }
        ).map { (job, $0) }
      }
    }
    guard first?.1.end == .nothing else { return first }
    // The rows and the counts may belong to two commits; within the writer they belong to one.
    let (clock, isFull) = (clock, isStalled)
    return try await writer.perform { batch in
      let facts = StandstillFacts(counts: batch.counts, place: place, isFull: isFull, steady: clock.steady())
      return try batch.job(number).flatMap { job in
        try facts.standstill(of: job, { try batch.job($0) }, { try batch.cleanup(of: $0) }).map { (job, $0) }
      }
    }
  }

  /// Reads jobs, or all that have not ended, and the cleanups that are owed, on the calling thread: for simulations.
  package func work(of numbers: [JobNumber]?) throws -> (jobs: [Job], cleanups: [Cleanup]) {
    try pool.readNow { db in
      let unfinished = "\(JobRow.select) WHERE \(LedgerSchema.Condition.unfinished)"
      let jobs = try numbers.map { try JobRow.jobs($0, in: db) } ?? db.all(unfinished, [], JobRow.job)
      return (jobs, try CleanupRow.all(in: db))
    }
  }

  package func facts(in place: PipelineState) -> StandstillFacts {
    StandstillFacts(counts: counts, place: place, isFull: isStalled, steady: clock.steady())
  }

  /// True if no change waits for the writer, and the writer works on none.
  package var isWriterIdle: Bool { writer.isIdle }
}

/// The facts of one commit.
package struct StandstillFacts: Sendable {
  package typealias Find<Value> = (JobNumber) throws -> Value?

  package let counts: LedgerCounts
  let place: PipelineState
  let isFull: Bool
  package let steady: Timestamp

  package func standstill(of job: Job, _ find: Find<Job>, _ cleanup: Find<Cleanup>) throws -> Standstill? {
    var facts = try facts(at: job.destination, find, cleanup)
    if job.waitsForCleanup { facts.cleanup = try cleanup(job.number) }
    return Standstill(of: job, facts)
  }

  package func facts(
    at destination: Destination, _ find: Find<Job>, _ cleanup: Find<Cleanup>
  ) throws -> Standstill.Facts {
    var facts = Standstill.Facts(lanes: place.lanes, steady: steady)
    facts.gate = counts.gates[destination]
    facts.isGateServed = try isServed(facts.gate, find, cleanup)
    facts.grantor = counts.grantors[destination]
    facts.grantorGate = facts.grantor.flatMap { counts.gates[$0] }
    facts.isGrantorGateServed = try isServed(facts.grantorGate, find, cleanup)
    facts.pauses = counts.pauses
    facts.rate = place.rate(destination)
    facts.isConfigured = place.isConfigured(destination)
    (facts.use, facts.largeUse) = (counts.inFlight, counts.largeInFlight)
    (facts.isLedgerFull, facts.isStopping) = (isFull, place.isStopping)
    return facts
  }

  /// Returns true if the job that a gate waits for has its question open, or its probe in flight, which may be its cleanup.
  package func isServed(_ gate: Gate?, _ find: Find<Job>, _ cleanup: Find<Cleanup>) throws -> Bool {
    switch gate?.state {
    case nil, .open, .closed, .halfOpen: return true
    case .asking(_, let asker, _): return try find(asker)?.state == .awaitingConfirmation
    case .probing(_, let probe):
      if try find(probe)?.state == .active { return true }
      return try cleanup(probe).map { $0.nextAt == nil } ?? false
    }
  }
}
