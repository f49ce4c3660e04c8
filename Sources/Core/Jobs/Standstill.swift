/// The one reason why an unfinished job does not move now.
///
/// Each case says what ends it (``end``): a time, an event, or a person. The rules are one pure function
/// (``init(of:_:)``), for people who ask about a job and for tests that ask about all.
public indirect enum Standstill: Hashable, Sendable {
  /// A request of the job is in flight. The answer ends that.
  case inFlight
  /// Nothing holds the job: it is begun now.
  case ready
  /// The slots that it may have are in use. The end of an attempt in flight ends that.
  case slots(SlotShortage)
  /// Its last attempt failed, and it is tried again at this time, on the steady clock.
  case deferred(until: Timestamp)
  /// Nothing is sent to its destination until this time; then one job probes.
  case gateClosed(Hold, until: Timestamp)
  /// Nothing else is sent to its destination while that job probes.
  case probing(Hold, JobNumber)
  /// Nothing is sent to its destination until a person answers that job's question.
  case asking(Hold, JobNumber)
  /// A person paused it, or has to allow that it continues.
  case paused(Hold)
  /// The spool cannot be used yet.
  case late(Hold)
  /// It has a question, which a person answers.
  case question
  /// The cleanup that its cancel left must be done first. The cleanup has a standstill of its own.
  case cleanup(Standstill)
  /// Its destination is not configured. That becomes a question at once.
  case unconfigured
  /// The disk under the ledger is full: nothing begins before there is space.
  case ledgerIsFull
  /// The daemon stops, and begins nothing more. The next start ends that.
  case stopping
  /// Nothing ends it, because this is missing: a defect of the daemon.
  case nothingEndsIt(Lack)

  /// The thing without which nothing ends a standstill.
  public enum Lack: String, Sendable, CaseIterable {
    /// The job waits for an answer, and has no question.
    case question
    /// The job waits for a time, and has none.
    case time
    /// The job waits for its cleanup, and none is owed.
    case cleanup
    /// The gate waits for a probe, and none is in flight.
    case probe
    /// The gate waits for the answer to a question, and nobody is asked.
    case asker
    /// No slot is free, and no attempt is in flight whose end frees one.
    case slots
  }

  /// The kind of thing that ends a standstill.
  public enum End: Hashable, Sendable {
    /// It ends by itself, at this time at the latest (on the steady clock).
    case time(Timestamp)
    /// It ends by itself, with an event that the daemon causes or receives.
    case event
    /// A person ends it.
    case person
    /// Nothing ends it.
    case nothing
  }

  /// The thing that ends it.
  public var end: End {
    switch self {
    case .inFlight, .ready, .slots, .probing, .late, .unconfigured, .ledgerIsFull, .stopping: .event
    case .deferred(let time), .gateClosed(_, let time): .time(time)
    case .asking, .paused, .question: .person
    case .cleanup(let standstill): standstill.end
    case .nothingEndsIt: .nothing
    }
  }

  /// The pause or the gate behind it, if there is one.
  public var hold: Hold? {
    switch self {
    case .gateClosed(let hold, _), .probing(let hold, _), .asking(let hold, _), .paused(let hold), .late(let hold):
      hold
    case .cleanup(let standstill): standstill.hold
    case .inFlight, .ready, .slots, .deferred, .question, .unconfigured, .ledgerIsFull, .stopping, .nothingEndsIt: nil
    }
  }

  /// The name that programs see.
  public var name: String {
    switch self {
    case .inFlight: "in-flight"
    case .ready: "ready"
    case .slots: "slots"
    case .deferred: "time"
    case .gateClosed: "gate"
    case .probing: "probe"
    case .asking: "asked"
    case .paused: "paused"
    case .late: "late"
    case .question: "question"
    case .cleanup: "cleanup"
    case .unconfigured: "unconfigured"
    case .ledgerIsFull: "ledger"
    case .stopping: "stopping"
    case .nothingEndsIt: "nothing"
    }
  }
}

/// The reason why no slot is free for an attempt.
public enum SlotShortage: String, Sendable, CaseIterable {
  /// All slots are in use.
  case all
  /// The slots that are free are kept for other destinations.
  case share
  /// The destination has as many attempts in flight as its own limit allows.
  case limit
  /// The slots that uploads of large files may have are in use.
  case large
}

extension Standstill {
  /// The facts beside the job that decide why it does not move.
  public struct Facts: Sendable {
    /// The gate of the job's destination; nil for one that is open.
    public var gate: Gate?
    /// True if the job that the gate waits for has its probe in flight, or its question open.
    public var isGateServed = true
    /// The pauses.
    public var pauses: [Pause] = []
    /// True if the configuration has the job's destination.
    public var isConfigured = true
    /// The slots.
    public var lanes: Lanes
    /// The slots in use.
    public var use = SlotUse()
    /// The uploads of large files in flight.
    public var largeUse = SlotUse()
    /// The cleanup that the job's cancel left; nil for none.
    public var cleanup: Cleanup?
    /// True while a commit waits for space on the disk.
    public var isLedgerFull = false
    /// True once the daemon begins nothing more.
    public var isStopping = false
    /// The time on the steady clock.
    public var steady: Timestamp

    /// Creates the facts of a moment in which nothing is in the way.
    public init(lanes: Lanes, steady: Timestamp) {
      self.lanes = lanes
      self.steady = steady
    }
  }

  /// Returns the reason why a job does not move; nil for one that has ended.
  ///
  /// Of several reasons it is the one that ends last, or that takes a person: the end of any other one would not move the job.
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
    // A job whose spool is paused is asked about when the pause ends.
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

  /// The wait for the gate; nil if it lets one begin.
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
