public import Jobs
import SQLite

/// The facts about the pipeline that decide why a job does not move.
public struct PipelineState: Sendable {
  /// The slots for attempts.
  public var lanes: Lanes
  /// Returns true for a destination that the configuration has.
  public var isConfigured: @Sendable (Destination) -> Bool
  /// True once the daemon begins nothing more.
  public var isStopping: Bool

  /// Creates the facts of a moment.
  public init(lanes: Lanes, isConfigured: @escaping @Sendable (Destination) -> Bool, isStopping: Bool) {
    self.lanes = lanes
    self.isConfigured = isConfigured
    self.isStopping = isStopping
  }
}

extension JobLedger {
  /// Returns a job as it is now, with the one reason why it does not move; nil for one that has ended or is not there.
  public func standstill(
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
      let facts = StandstillFacts(
        counts: batch.counts, place: place, isFull: isFull, steady: clock.steady())
      return try batch.job(number).flatMap { job in
        try facts.standstill(of: job, { try batch.job($0) }, { try batch.cleanup(of: $0) }).map { (job, $0) }
      }
    }
  }

  /// Returns the reasons of all unfinished jobs and of all cleanups that are owed, and the destinations whose gate waits for a probe
  /// or an answer that does not come, on the calling thread: for simulations, in which nothing else happens meanwhile.
  ///
  /// - Parameter isWhole: true to read all rows, also those that were not changed.
  package func standstills(
    in place: PipelineState, among table: StandstillTable, isWhole: Bool
  ) throws -> (jobs: [(Job, Standstill)], cleanups: [(Cleanup, Standstill)], unserved: [Destination]) {
    let moment = facts(in: place)
    let rows = try table.read(pool, isWhole: isWhole)
    func job(_ number: JobNumber) -> Job? { rows.jobs[number] }
    func cleanup(_ number: JobNumber) -> Cleanup? { rows.cleanups[number]?.first }
    let jobs = try rows.jobs.keys.sorted().compactMap(job).compactMap { job in
      try moment.standstill(of: job, { rows.jobs[$0] }, cleanup).map { (job, $0) }
    }
    let cleanups = try rows.cleanups.sorted { $0.key < $1.key }.flatMap(\.value).map { owed in
      (owed, Standstill(of: owed, try moment.facts(at: owed.destination, job, cleanup)))
    }
    let unserved = try moment.counts.gates.filter { try !moment.isServed($0.value, job, cleanup) }.keys
    return (jobs, cleanups, unserved.sorted())
  }

  private func facts(in place: PipelineState) -> StandstillFacts {
    StandstillFacts(counts: counts, place: place, isFull: isStalled, steady: clock.steady())
  }

  /// True if no change waits for the writer, and the writer waits for none.
  package var isWriterIdle: Bool { writer.isIdle }
}

/// The facts of one commit.
struct StandstillFacts: Sendable {
  typealias Find<Value> = (JobNumber) throws -> Value?

  let counts: LedgerCounts
  let place: PipelineState
  let isFull: Bool
  let steady: Timestamp

  func standstill(of job: Job, _ find: Find<Job>, _ cleanup: Find<Cleanup>) throws -> Standstill? {
    var facts = try facts(at: job.destination, find, cleanup)
    if job.waitsForCleanup { facts.cleanup = try cleanup(job.number) }
    return Standstill(of: job, facts)
  }

  func facts(
    at destination: Destination, _ find: Find<Job>, _ cleanup: Find<Cleanup>
  ) throws -> Standstill.Facts {
    var facts = Standstill.Facts(lanes: place.lanes, steady: steady)
    facts.gate = counts.gates[destination]
    facts.isGateServed = try isServed(facts.gate, find, cleanup)
    facts.pauses = counts.pauses
    facts.isConfigured = place.isConfigured(destination)
    (facts.use, facts.largeUse) = (counts.inFlight, counts.largeInFlight)
    (facts.isLedgerFull, facts.isStopping) = (isFull, place.isStopping)
    return facts
  }

  /// Returns true if the job that a gate waits for has its question open, or its probe in flight, which may be its cleanup.
  func isServed(_ gate: Gate?, _ find: Find<Job>, _ cleanup: Find<Cleanup>) throws -> Bool {
    switch gate?.state {
    case nil, .open, .closed, .halfOpen: return true
    case .asking(_, let asker, _): return try find(asker)?.state == .awaitingConfirmation
    case .probing(_, let probe):
      if try find(probe)?.state == .active { return true }
      guard let owed = try cleanup(probe) else { return false }
      return owed.nextAt == nil
    }
  }
}
