import Jobs
import Linux
import Messages
import SQLite
import Seams

/// The work of jobs at their gates, in the same transaction.
extension LedgerBatch {
  mutating func begin(_ job: Job) throws -> Job? {
    assert(job.state == .queued && memory.active[job.number] == nil, "a job begins twice, or is \(job.state)")
    guard let begun = try apply(.begin, to: job) else { return nil }
    try applyToGate(.began(job.number), at: job.destination)
    if let grantor = counts.grantors[job.destination] { try applyToGate(.began(job.number), at: grantor) }
    return begun
  }

  /// Folds the end of an attempt into its job and its gate; returns nil if it came too late to matter.
  mutating func finish(_ job: Job, attempt: Int, _ result: AttemptResult) throws -> Job? {
    guard job.state == .active, job.attempt == attempt else { return nil }
    let changed = try finishAtGate(job, attempt: attempt, result)
    if job.step == .upload { try finishAtGrantors(job, result) }
    return changed
  }

  private mutating func finishAtGate(_ job: Job, attempt: Int, _ result: AttemptResult) throws -> Job? {
    let destination = job.destination
    switch result {
    case .uploaded, .registered:
      let changed = try apply(.finished(attempt: attempt, result), to: job)
      try succeeded(job, at: destination)
      return changed
    case .failed(let failure, let verdict):
      let (failure, ruled) = try rule(verdict, on: failure, of: job)
      return try apply(.finished(attempt: attempt, .failed(failure, ruled)), to: job)
    case .changed(let failure, let verdict, let identity):
      let (failure, ruled) = try rule(verdict, on: failure, of: job)
      return try apply(.finished(attempt: attempt, .changed(failure, ruled, now: identity)), to: job)
    case .cut, .recognized:
      let changed = try apply(.finished(attempt: attempt, result), to: job)
      try applyToGate(.cut(job.number), at: destination)
      return changed
    case .unanswered(let symptom):
      let changed = try apply(.finished(attempt: attempt, result), to: job)
      // The look before an upload that is granted is at the backend.
      let grantor = counts.grantors[destination].flatMap { isProbe(job.number, at: $0) ? $0 : nil }
      try applyToGate(.failed(job.number, symptom), at: grantor ?? destination)
      return changed
    }
  }

  private mutating func succeeded(_ job: Job, at destination: Destination) throws {
    if let startedAt = job.attemptStartedAt {
      let success = LastSuccess(sequence: counts.lastEvent, startedAt: startedAt)
      memory.position.successes[destination] = success.orLater(
        memory.position.successes[destination], now: clock.now())
    }
    try applyToGate(.succeeded(job.number, began: job.attemptStartedAt), at: destination)
  }

  /// Notes the end of an upload at the gates of backends. A backend that has granted it is well, whatever the storage answered. An upload
  /// may have been the probe of two gates, or of a backend that a reload has replaced: no gate waits for an attempt that has ended.
  private mutating func finishAtGrantors(_ job: Job, _ result: AttemptResult) throws {
    if result.isGranted, let grantor = counts.grantors[job.destination] { try succeeded(job, at: grantor) }
    try leaveProbes(of: job.number)
  }

  /// Makes the gates whose probe is an upload that has ended take another one.
  private mutating func leaveProbes(of job: JobNumber) throws {
    if counts.gates.isEmpty { return }
    for destination in counts.gates.keys where isProbe(job, at: destination) {
      try applyToGate(.left(job), at: destination)
    }
    assert(!counts.gates.values.contains { $0.isProbed(by: job) }, "a gate waits for a probe that has ended")
  }

  private func isProbe(_ job: JobNumber, at destination: Destination) -> Bool {
    counts.gates[destination]?.isProbed(by: job) ?? false
  }

  /// Applies a failure to the gate, and returns the failure and the verdict as the gate rules.
  private mutating func rule(
    _ verdict: Verdict, on failure: Failure, of job: Job
  ) throws -> (failure: Failure, verdict: Verdict) {
    let destination = failure.grantor ?? job.destination
    if let asked = counts.gates[destination]?.unresolved(failure, steady: clock.steady()) {
      return (asked, try rule(.ask, on: asked, of: job).verdict)
    }
    if verdict == .awaitCredentials, try isRefusedAlone(job, at: destination) {
      try applyToGate(.failed(job.number, Gate.Symptom(.answered)), at: destination)
      return (failure, .ask)
    }
    let symptom = Gate.Symptom(of: failure, verdict)
    try applyToGate(.failed(job.number, symptom, peers(of: job, symptom)), at: destination)
    guard let gate = counts.gates[destination] else { return (failure, verdict) }
    return (failure, gate.verdict(verdict, on: failure, of: job.number, steady: clock.steady()))
  }

  /// The attempt that ends, among those at its destination. Uploads of large files take longer, so they are only compared with each
  /// other.
  private func peers(of job: Job, _ symptom: Gate.Symptom) -> Gate.Peers {
    guard let began = job.attemptStartedAt else { return Gate.Peers() }
    var overtaken = 0
    switch symptom.kind {
    case .gateway, .doubtful, .answered: break
    case .unavailable, .throttled, .credentials, .network, .destination, .transient, .local:
      return Gate.Peers(began: began)
    }
    for other in memory.active.values where other.isLargeUpload == job.isLargeUpload {
      guard let start = other.attemptStartedAt, start < began, other.destination == job.destination else { continue }
      overtaken += 1
    }
    return Gate.Peers(began: began, inFlight: counts.inFlight[job.destination], overtaken: overtaken)
  }

  /// Returns true if the key of a job was refused before, and another attempt at the destination has begun and succeeded since.
  /// An attempt that began before the refusal may have succeeded before the key was withdrawn.
  private func isRefusedAlone(_ job: Job, at destination: Destination) throws -> Bool {
    guard job.failure?.kind == .credentials, job.blamed == destination,
      let success = memory.position.successes[destination]
    else { return false }
    let refusal = try db.first(
      """
      SELECT event.sequence, at FROM \(EventRow.withDetails) \
      WHERE event.sequence IN (\(EventRow.upToLast)) AND step = ? AND kind = ? AND failure_kind = ? \
      ORDER BY event.sequence DESC LIMIT 1
      """,
      [job.lastEvent, job.step.rawValue, JobEvent.Kind.deferred.rawValue, Failure.Kind.credentials.rawValue]
    ) { row -> (sequence: Int64, at: Int64) in (row[0], row[1]) }
    guard let (sequence, refusedAt) = refusal else { return false }
    return success.sequence > sequence && success.startedAt.microseconds > refusedAt
  }

  /// Returns the job to begin next at a destination where the counts allow one, in the state `queued`; nil if none can begin.
  /// At a half-open gate it is the probe. Then a job that waits for a key or the network comes first, whatever closed the gate, and is made
  /// due. The probe may be a large upload even if others are in flight, because a gate has only one probe at a time.
  mutating func takeNext(at destination: Destination, in lanes: Lanes) throws -> Job? {
    guard case .halfOpen(let closure, let probe)? = counts.halfOpenGate(at: destination)?.state else {
      // Jobs wait without a gate if the destination was not configured for a while.
      if counts.waiting[destination, default: 0] > 0 { try wakeWaiting(at: destination) }
      return try head(at: destination, withLarge: counts.mayBeginLarge(at: destination, in: lanes))
    }
    if let probe, let job = try job(probe), job.state == .queued, !job.waitsForCleanup,
      !counts.pausedSpools.contains(job.ticket.spool)
    {
      if job.destination == destination { return job }
      // An upload may be the probe of the backend that grants it. Its turn comes at its own destination, if it has one now.
      let pair = (job.destination, destination)
      if counts.grantors[pair.0] == pair.1 || counts.grantors[pair.1] == pair.0,
        counts.canStart(at: job.destination, in: lanes), lanes.mayBegin(at: job.destination, counts.inFlight)
      {
        return nil
      }
    }
    // One of the two may have probed last.
    let waiting = try waiting(at: destination, limit: 2, isUnpaused: true)
    if let other = waiting.first(where: { $0.number != closure.lastProbe }) { return try apply(.due, to: other) }
    if closure.reason == .question, let job = try untried(at: destination, closure) { return job }
    if let job = try head(at: destination, withLarge: true) { return job }
    return try waiting.first.flatMap { try apply(.due, to: $0) }
  }

  /// Returns a queued job that has not met the refusal about which the gate asks, else one that did not probe last. Faulty files often
  /// come together; so that they do not keep the gate closed, the last and the first of the queue take turns.
  private mutating func untried(at destination: Destination, _ closure: Gate.Closure) throws -> Job? {
    let order = closure.failedProbes.isMultiple(of: 2) ? "DESC" : "ASC"
    for condition in [
      "ifnull(failure_kind, '') NOT IN ('\(Failure.Kind.destination)', '\(Failure.Kind.rejected)')",
      "job.number != \(closure.lastProbe?.rawValue ?? 0)",
    ] {
      let job = try jobs(
        """
        job.state = 'queued' AND job.destination = ? AND \(condition) AND \(LedgerSchema.Condition.isUnpaused()) \
        AND NOT (\(LedgerSchema.Condition.waitsForCleanup)) ORDER BY job.number \(order) LIMIT 1
        """, [destination.text])
      if let job = job.first { return job }
    }
    return nil
  }

  /// Returns the jobs that wait at a destination for a key or the network, the oldest first.
  /// `isUnpaused`: true to leave out jobs of paused spools.
  private mutating func waiting(at destination: Destination, limit: Int, isUnpaused: Bool) throws -> [Job] {
    guard counts.waiting[destination] != nil || !isUnpaused else { return [] }
    return try jobs(
      """
      \(LedgerSchema.Condition.waiting) AND job.destination = ? \
      \(isUnpaused ? "AND \(LedgerSchema.Condition.isUnpaused()) " : "")ORDER BY job.number LIMIT ?
      """, [destination.text, limit])
  }

  /// Applies an event to a gate, and publishes the change. If the gate opens, the jobs that wait there continue.
  mutating func applyToGate(_ event: Gate.Event, at destination: Destination) throws {
    switch event {
    case .began, .succeeded, .cut, .timePassed, .probeWanted, .wanted, .left:
      guard counts.gates[destination] != nil else { return }  // no change of an open gate
    case .failed, .keyChanged, .networkChanged: break
    }
    let before = counts.gates[destination] ?? Gate()
    var gate = before
    let change = gate.apply(event, now: clock.now(), steady: clock.steady())
    guard gate != before else { return }
    counts.gates[destination] = gate.isPristine ? nil : gate
    if before.closure != nil || gate.closure != nil { memory.position.changedGates.insert(destination) }
    switch change {
    case nil: break
    case .closed: try publish(gateOccurrence(.gateClosed, gate, at: destination))
    case .opened:
      try publish(gateOccurrence(.gateOpened, before, at: destination))
      try wakeWaiting(at: destination)
    }
  }

  mutating func passTimeAtGates() {
    let steady = clock.steady()
    for (destination, gate) in counts.gates {
      guard let until = gate.nextTry, until <= steady else { continue }
      var gate = gate
      _ = gate.apply(.timePassed, now: clock.now(), steady: steady)
      counts.gates[destination] = gate
      memory.position.changedGates.insert(destination)
    }
  }

  /// Applies a person's answer to the gate of the destination that the job had before, or that its failure blamed.
  mutating func applyAnswerToGate(_ before: Job, _ now: Job) throws {
    if counts.gates.isEmpty { return }
    guard now.state == .queued, now.destination == before.destination else {
      for destination in Set([before.destination, before.blamed]) {
        try applyToGate(.left(now.number), at: destination)
      }
      return before.step == .upload ? try leaveProbes(of: now.number) : ()
    }
    if before.state.isWaiting, before.state != .deferred { try applyToGate(.wanted(now.number), at: before.blamed) }
  }

  mutating func forgetGates(unless isConfigured: (Destination) -> Bool) {
    for destination in counts.gates.keys where !isConfigured(destination) {
      counts.gates[destination] = nil
      memory.position.changedGates.insert(destination)
    }
  }

  mutating func writeGates() throws {
    for destination in memory.position.changedGates {
      try GateRow.write(counts.gates[destination], of: destination, into: db)
      Failpoint.gateCommitting.pass()
    }
    memory.position.changedGates.removeAll()
  }

  private mutating func wakeWaiting(at destination: Destination) throws {
    while true {
      let jobs = try waiting(at: destination, limit: 256, isUnpaused: false)
      for job in jobs { _ = try apply(.due, to: job) }
      if jobs.count < 256 { break }
    }
    try makeCleanupsDue(at: destination)
  }

  private func gateOccurrence(_ kind: Occurrence.Kind, _ gate: Gate, at destination: Destination) -> Occurrence {
    let isClosed = kind == .gateClosed
    let until = isClosed ? gate.until.map { $0 + (clock.now() - clock.steady()) } : nil
    return Occurrence(
      kind, of: .destination(destination), at: clock.now(),
      message: isClosed
        ? .onHold(destination: destination.text, why: gate.closure?.reason.message ?? .text(""))
        : .inUseAgain(destination: destination.text),
      reason: (gate.closure?.reason.rawValue).map(Message.text), until: until)
  }
}
