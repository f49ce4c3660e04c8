package import Jobs

extension LedgerCounts {
  /// Returns true if a job can begin at a destination now, because neither a gate nor a pause holds it. Jobs that wait for a key or the
  /// network count whatever closed the gate, because they may be the only ones left to probe.
  package func canStart(at destination: Destination) -> Bool {
    mayStart(at: destination) && queued[destination, default: 0] + waiting[destination, default: 0] > 0
  }

  /// Returns true if a job can be begun at a destination now, even if no large upload can.
  func canStart(at destination: Destination, in lanes: Lanes) -> Bool {
    guard canStart(at: destination) else { return false }
    let large = queued(at: destination, isLarge: true)
    guard large > 0, !mayBeginLarge(at: destination, in: lanes) else { return true }
    if halfOpenGate(at: destination) != nil { return true }  // any job may probe
    return queued[destination, default: 0] + waiting[destination, default: 0] > large
  }

  /// Returns true if a job can be begun anywhere: no gate and no pause holds it, and the destination's share allows it.
  package func canStart(in lanes: Lanes) -> Bool { nextDestination(in: lanes) != nil }

  func nextDestination(in lanes: Lanes, besides exhausted: Set<Destination> = []) -> Destination? {
    let canBegin = { canStart(at: $0, in: lanes) && !exhausted.contains($0) }
    return waiting.isEmpty
      ? lanes.all.next(inFlight, among: queued.keys, where: canBegin)
      : lanes.all.next(inFlight, among: Set(queued.keys).union(waiting.keys), where: canBegin)
  }

  /// Returns true if the upload of a large file may begin at a destination: such uploads never hold more than half of the slots.
  func mayBeginLarge(at destination: Destination, in lanes: Lanes) -> Bool {
    lanes.large.mayBegin(at: destination, largeInFlight)
  }

  func queued(at destination: Destination, isLarge: Bool) -> Int {
    let large = queuedLarge.isEmpty ? 0 : queuedLarge[destination, default: 0]
    return isLarge ? large : queued[destination, default: 0] - large
  }

  /// The time at which something happens by itself, on the steady clock: a deferred job comes due, or a gate lets a probe go.
  package var nextTime: Timestamp? {
    let nextProbe = gates.isEmpty ? nil : gates.values.compactMap(\.nextTry).min()
    return [nextDue, nextProbe].compactMap(\.self).min()
  }

  /// Returns the time of the next cleanup that the lanes have room for, on the steady clock. It is nil if no cleanup is owed, or if a pause
  /// or a gate holds it.
  /// `isFirst`: true to leave out the storages at which a cleanup is in flight.
  package func nextCleanup(in lanes: Lanes, isFirst: Bool = false) -> Timestamp? {
    nextCleanups.keys.compactMap { destination in
      if isFirst, cleaning[destination] > 0 { return nil }
      guard lanes.contains(destination), lanes.mayBegin(at: destination, inFlight) else { return nil }
      return nextCleanup(at: destination)
    }.min()
  }

  /// Returns the time of the next cleanup at a destination. The cleanup may be the probe of a gate, at once, but only if no job can be.
  func nextCleanup(at destination: Destination) -> Timestamp? {
    guard let time = nextCleanups[destination], mayStart(at: destination) else { return nil }
    guard case .halfOpen? = gates[destination]?.state else { return time }
    return canStart(at: destination) ? nil : Timestamp(microseconds: 0)
  }

  /// Returns everything that keeps a job from its next attempt, or will when its turn comes: the pauses after a loss, of all,
  /// of its spool and of its destination, and the gate; also those of the backend that grants its upload. It is empty for a job that has
  /// ended.
  package func holds(on job: Job) -> [Hold] {
    if job.state.isTerminal { return [] }
    let destinations = [job.destination] + [grantors[job.destination]].compactMap(\.self)
    let held = Pause.holding(spool: job.ticket.spool, at: destinations, among: pauses).map(Hold.init)
    return held + destinations.compactMap { destination in gates[destination].flatMap { Hold($0, at: destination) } }
  }

  package var closedGates: [Hold] {
    gates.sorted { $0.key < $1.key }.compactMap { Hold($0.value, at: $0.key) }
  }

  package var pausedTargets: [Hold] { pauses.filter(\.target.isOfPeople).map(Hold.init) }

  package func isPaused(_ target: Pause.Target) -> Bool { pauses.contains { $0.target == target } }

  func mayStart(at destination: Destination) -> Bool {
    isOpen(destination) && (grantors.isEmpty || grantors[destination].map(isOpen) ?? true)
  }

  /// Returns the half-open gate whose probe the next job of a destination is: its own, else that of the backend that grants its uploads.
  func halfOpenGate(at destination: Destination) -> Gate? {
    if gates.isEmpty { return nil }
    if let gate = gates[destination], gate.isHalfOpen { return gate }
    return grantors[destination].flatMap { gates[$0] }.flatMap { $0.isHalfOpen ? $0 : nil }
  }

  private func isOpen(_ destination: Destination) -> Bool {
    if !pauses.isEmpty, pauses.contains(where: { $0.target.holdsAll || $0.target == .destination(destination) }) {
      return false
    }
    switch gates[destination]?.state {
    case nil, .open, .halfOpen: return true
    case .closed, .asking, .probing: return false
    }
  }

  /// Returns true if a job can be begun although others may be queued before it.
  func mayStartAtOnce(_ job: Job, in lanes: Lanes) -> Bool {
    let destination = job.destination
    guard lanes.mayBegin(at: destination, inFlight) else { return false }
    if job.isLargeUpload, !mayBeginLarge(at: destination, in: lanes) { return false }
    return mayStart(at: destination) && halfOpenGate(at: destination) == nil && !pausedSpools.contains(job.ticket.spool)
  }
}
