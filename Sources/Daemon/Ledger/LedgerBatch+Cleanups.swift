import Jobs
import Messages
import SQLite

/// The cleanups that cancelled jobs owe at a storage, in the same transaction as the jobs.
extension LedgerBatch {
  /// Applies the effect of a job's change to its cleanup.
  mutating func applyCleanup(_ change: CleanupChange, of job: JobNumber) throws {
    let before = try cleanup(of: job)
    switch change {
    case .owe(let cleanup):
      var all = before ?? cleanup
      if before != nil { all.add(cleanup) }
      try CleanupRow.write(all, into: db)
    case .drop: try CleanupRow.delete(job, from: db)
    case .hurry:
      guard var cleanup = before else { return }
      cleanup.hurry(clock.steady())
      try CleanupRow.write(cleanup, into: db)
    }
    cleanupsDidChange()
  }

  /// Begins cleanups that are due and not held: one at each destination in turn, so that none takes the slots of all.
  mutating func beginDueCleanups(
    upTo limit: Int, in lanes: Lanes, where isWanted: (Destination) -> Bool = { _ in true }
  ) throws -> [Cleanup] {
    passTimeAtGates()
    var begun: [Cleanup] = []
    var rest = memory.position.counts.nextCleanups.keys.filter { lanes.contains($0) && isWanted($0) }.sorted()
    for _ in 0..<limit where !rest.isEmpty {
      var more: [Destination] = []
      for destination in rest {
        guard lanes.mayBegin(at: destination, memory.position.counts.inFlight),
          var cleanup = try nextCleanup(at: destination)
        else { continue }
        cleanup.begin(clock.steady())
        try CleanupRow.write(cleanup, into: db)
        cleanupsDidChange()
        memory.position.counts.inFlight.add(1, at: destination)
        try applyToGate(.began(cleanup.job), at: destination)
        begun.append(cleanup)
        more.append(destination)
      }
      rest = more
    }
    return begun
  }

  /// Returns the cleanup to begin next. At a gate that lets a probe go it need not be due: the gate decides how often one goes.
  private func nextCleanup(at destination: Destination) throws -> Cleanup? {
    let counts = memory.position.counts
    guard destination.kind == .storage, counts.mayStart(at: destination) else { return nil }
    let isProbe = if case .halfOpen? = counts.gates[destination]?.state { true } else { false }
    if isProbe, counts.canStart(at: destination) { return nil }
    return try CleanupRow.first(
      "storage = ? AND next_at \(isProbe ? "IS NOT NULL" : "<= ?") AND \(CleanupRow.isUnpaused) ORDER BY next_at, job",
      isProbe ? [destination.name] : [destination.name, clock.steady().microseconds], in: db)
  }

  /// Folds the end of a try into the cleanup, the job, and the gate.
  mutating func finish(_ begun: Cleanup, _ result: CleanupResult) throws {
    memory.position.counts.inFlight.add(-1, at: begun.destination)
    try applyToGate(result.gateEvent(of: begun.job), at: begun.destination)
    guard var cleanup = try cleanup(of: begun.job) else { return }
    cleanupsDidChange()
    let remote = cleanup.end(result, of: begun, steady: clock.steady())
    if remote == .pending { return try CleanupRow.write(cleanup, into: db) }
    try CleanupRow.delete(begun.job, from: db)
    let refusal: Failure? = if case .refused(let failure) = result { failure } else { nil }
    if let job = try job(begun.job) {
      _ = try apply(.cleaned(remote, refusal), to: job)
    } else if let refusal {
      try publish(
        Occurrence(
          .objectLeft, of: .destination(begun.destination), at: clock.now(),
          message: Sentences.objectLeft(begun, reason: refusal.message), reason: refusal.message))
    }
  }

  /// Makes the cleanups of a destination due now: where a gate opens, they need not wait for their time.
  mutating func makeCleanupsDue(at destination: Destination) throws {
    guard memory.position.counts.nextCleanups[destination] != nil else { return }
    try CleanupRow.makeDue(at: clock.steady(), storage: destination.name, in: db)
    cleanupsDidChange()
  }

  func cleanup(of job: JobNumber) throws -> Cleanup? {
    try CleanupRow.first("job = ?", [job.rawValue], in: db)
  }
}
