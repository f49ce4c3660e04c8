extension Standstill {
  /// The facts beside the job that decide why it does not move.
  public struct Facts: Sendable {
    /// The gate of the job's destination; nil for one that is open.
    public var gate: Gate?
    /// True if the job that the gate waits for has its probe in flight, or its question open.
    public var isGateServed: Bool
    /// The pauses.
    public var pauses: [Pause]
    /// True if the configuration has the job's destination.
    public var isConfigured: Bool
    /// The slots.
    public var lanes: Lanes
    /// The slots in use.
    public var use: SlotUse
    /// The uploads of large files in flight.
    public var largeUse: SlotUse
    /// The cleanup that the job's cancel left; nil for none.
    public var cleanup: Cleanup?
    /// True while a commit waits for space on the disk.
    public var isLedgerFull: Bool
    /// True once the daemon begins nothing more.
    public var isStopping: Bool
    /// The time on the steady clock.
    public var steady: Timestamp

    /// Creates the facts of a moment.
    public init(
      gate: Gate? = nil, isGateServed: Bool = true, pauses: [Pause] = [], isConfigured: Bool = true, lanes: Lanes,
      use: SlotUse = SlotUse(), largeUse: SlotUse = SlotUse(), cleanup: Cleanup? = nil, isLedgerFull: Bool = false,
      isStopping: Bool = false, steady: Timestamp
    ) {
      self.gate = gate
      self.isGateServed = isGateServed
      self.pauses = pauses
      self.isConfigured = isConfigured
      self.lanes = lanes
      self.use = use
      self.largeUse = largeUse
      self.cleanup = cleanup
      self.isLedgerFull = isLedgerFull
      self.isStopping = isStopping
      self.steady = steady
    }
  }

  /// Returns the reason why a job does not move; nil for one that has ended.
  ///
  /// Of several reasons it is the one that ends last, or needs a person: the end of any other would not move the job.
  public init?(of job: Job, _ facts: Facts) {
    switch job.state {
    case .registered, .skipped, .aborted, .cancelled, .discarded: return nil
    case .active: self = .inFlight
    case .awaitingConfirmation: self = job.question == nil ? .nothingEndsIt(.question) : .question
    case .queued, .deferred, .awaitingCredentials, .awaitingNetwork: self = Self.waiting(job, facts)
    }
  }

  /// Returns the reason why a cleanup is not done now.
  public init(of cleanup: Cleanup, _ facts: Facts) {
    guard let time = cleanup.nextAt else {
      self = .inFlight
      return
    }
    if !facts.isConfigured {
      self = facts.stop ?? .unconfigured
      return
    }
    self =
      facts.stop ?? facts.pause(of: cleanup.spool, at: cleanup.destination) ?? facts.wait(at: cleanup.destination)
      ?? (time > facts.steady && !facts.isHalfOpen ? .deferred(until: time) : nil)
      ?? facts.shortage(facts.lanes.all.shortage(at: cleanup.destination, facts.use)) ?? .ready
  }

  private static func waiting(_ job: Job, _ facts: Facts) -> Standstill {
    if let stop = facts.stop { return stop }
    let spool = job.ticket.spool
    let isSpoolPaused = facts.pauses.contains { $0.target.spool == spool }
    // If the job's spool is paused, the question comes when the pause ends.
    if !facts.isConfigured, !(job.state == .queued && isSpoolPaused) { return .unconfigured }
    if let pause = facts.pause(of: spool, at: job.destination) { return pause }
    if job.state == .deferred {
      guard let time = job.nextAttemptAt else { return .nothingEndsIt(.time) }
      return time > facts.steady ? facts.wait(at: job.destination, after: time) : .ready
    }
    if job.waitsForCleanup {
      guard let cleanup = facts.cleanup else { return .nothingEndsIt(.cleanup) }
      return .cleanup(Standstill(of: cleanup, facts))
    }
    if let wait = facts.wait(at: job.destination) { return wait }
    return facts.shortage(facts.shortage(of: job)) ?? .ready
  }
}

extension Standstill.Facts {
  /// The reason why nothing at all begins; nil if there is none.
  fileprivate var stop: Standstill? { isStopping ? .stopping : isLedgerFull ? .ledgerIsFull : nil }

  fileprivate func pause(of spool: String, at destination: Destination) -> Standstill? {
    Pause.holding(spool: spool, destination: destination, among: pauses).first.map { pause in
      pause.target.isOfPeople ? .paused(Hold(pause)) : .late(Hold(pause))
    }
  }

  /// True if the gate takes a probe.
  fileprivate var isHalfOpen: Bool {
    switch gate?.state {
    case .halfOpen: true
    case .closed(_, let until), .asking(_, _, let until): until <= steady
    case nil, .open, .probing: false
    }
  }

  /// The wait for the gate; nil if the gate lets a job begin.
  fileprivate func wait(at destination: Destination) -> Standstill? {
    guard let gate, let hold = Hold(gate, at: destination) else { return nil }
    switch gate.state {
    case .open, .halfOpen: return nil
    case .closed(_, let until): return until > steady ? .gateClosed(hold, until: until) : nil
    case .asking(_, let job, let until):
      if until <= steady { return nil }
      return isGateServed ? .asking(hold, job) : .nothingEndsIt(.asker)
    case .probing(_, let job): return isGateServed ? .probing(hold, job) : .nothingEndsIt(.probe)
    }
  }

  /// The wait for a time, or for the gate if that takes longer.
  fileprivate func wait(at destination: Destination, after time: Timestamp) -> Standstill {
    switch wait(at: destination) {
    case .gateClosed(let hold, let until) where until > time: .gateClosed(hold, until: until)
    case let wait? where wait.end == .person || wait.end == .nothing: wait
    case nil, _?: .deferred(until: time)
    }
  }

  /// The shortage of slots for a job. A probe needs no slot for large uploads.
  fileprivate func shortage(of job: Job) -> SlotShortage? {
    if let shortage = lanes.all.shortage(at: job.destination, use) { return shortage }
    // A job that waits for a key or the network is queued first, and waits for such a slot only then.
    guard job.state == .queued, job.isLargeUpload else { return nil }
    if isHalfOpen { return nil }
    return lanes.large.mayBegin(at: job.destination, largeUse) ? nil : .large
  }

  fileprivate func shortage(_ shortage: SlotShortage?) -> Standstill? {
    guard let shortage else { return nil }
    return (shortage == .large ? largeUse : use).total > 0 ? .slots(shortage) : .nothingEndsIt(.slots)
  }
}
