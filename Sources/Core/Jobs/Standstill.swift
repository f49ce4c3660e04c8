/// The one reason why an unfinished job does not move now.
///
/// Each case says what ends it (``end``): a time, an event, or a person. The rules are one pure function
/// (``init(of:_:)``), for people who ask about a job and for tests that ask about all.
public indirect enum Standstill: Hashable, Sendable {
  /// A request of the job is in flight. The answer ends that.
  case inFlight
  /// Nothing holds the job: it is begun now.
  case ready
  /// The slots that the job may have are in use. The end of an attempt ends that.
  case slots
  /// The job's next request, or those that hold its slots, wait for the destination's limit of requests a second. Time ends that.
  case rate(perSecond: Double, waiting: Int)
  /// The last attempt failed, and the next one is at this time, on the steady clock.
  case deferred(until: Timestamp)
  /// Nothing is sent to the job's destination until this time; then one job probes.
  case gateClosed(Hold, until: Timestamp)
  /// Nothing else is sent to the destination while that job probes.
  case probing(Hold, JobNumber)
  /// Nothing is sent to the destination until a person answers that job's question.
  case asking(Hold, JobNumber)
  /// A person paused the job, or must allow it to continue; or the spool cannot be used yet, which ends by itself.
  case paused(Hold)
  /// The job has a question, which a person answers.
  case question
  /// The cleanup after a cancel must be done first; the value is the cleanup's own standstill.
  case cleanup(Standstill)
  /// The destination is not configured. That becomes a question at once.
  case unconfigured
  /// The disk under the ledger is full: nothing begins before there is space.
  case ledgerIsFull
  /// The daemon stops, and begins nothing more. The next start ends that.
  case stopping
  /// Nothing ends the standstill: the question, time, cleanup, probe or attempt that the job waits for is missing, a defect of the daemon.
  case nothingEndsIt

  /// The kind of thing that ends a standstill.
  public enum End: Hashable, Sendable {
    /// It ends by itself, at this time at the latest (on the steady clock).
    case time(Timestamp)
    /// It ends by itself, with an event that the daemon causes or receives.
    case event
    case person
    case nothing
  }

  /// The thing that ends the standstill.
  public var end: End {
    switch self {
    case .inFlight, .ready, .slots, .rate, .probing, .unconfigured, .ledgerIsFull, .stopping: .event
    case .deferred(let time), .gateClosed(_, let time): .time(time)
    case .paused(let hold): hold.target.isOfPeople ? .person : .event
    case .asking, .question: .person
    case .cleanup(let standstill): standstill.end
    case .nothingEndsIt: .nothing
    }
  }

  /// The pause or the gate behind it, if there is one.
  public var hold: Hold? {
    switch self {
    case .gateClosed(let hold, _), .probing(let hold, _), .asking(let hold, _), .paused(let hold): hold
    case .cleanup(let standstill): standstill.hold
    case .inFlight, .ready, .slots, .rate, .deferred, .question, .unconfigured, .ledgerIsFull, .stopping,
      .nothingEndsIt:
      nil
    }
  }

  /// The name that programs see.
  public var name: String {
    switch self {
    case .inFlight: "in-flight"
    case .ready: "ready"
    case .slots: "slots"
    case .rate: "rate"
    case .deferred: "time"
    case .gateClosed: "gate"
    case .probing: "probe"
    case .asking: "asked"
    case .paused: "paused"
    case .question: "question"
    case .cleanup: "cleanup"
    case .unconfigured: "unconfigured"
    case .ledgerIsFull: "ledger"
    case .stopping: "stopping"
    case .nothingEndsIt: "nothing"
    }
  }
}

extension Standstill.End {
  /// The order in which the ends come, as far as it is known.
  fileprivate var order: (kind: Int, time: Timestamp) {
    switch self {
    case .event: (0, Timestamp(microseconds: 0))
    case .time(let time): (1, time)
    case .person: (2, Timestamp(microseconds: 0))
    case .nothing: (3, Timestamp(microseconds: 0))
    }
  }
}

extension Standstill {
  /// Returns true if this standstill ends no earlier than another one, as far as both ends are known.
  fileprivate func outlasts(_ other: Standstill) -> Bool { end.order >= other.end.order }
}

extension Standstill {
  /// The facts beside the job that decide why it does not move.
  public struct Facts: Sendable {
    /// The gate of the job's destination; nil for one that is open.
    public var gate: Gate?
    /// True if the job that the gate waits for has its probe in flight, or its question open.
    public var isGateServed = true
    /// The backend that grants the uploads to the job's destination; nil if none does.
    public var grantor: Destination?
    /// The gate of that backend; nil for one that is open.
    public var grantorGate: Gate?
    /// The same as ``isGateServed``, for that gate.
    public var isGrantorGateServed = true
    package var pauses: [Pause] = []
    /// True if the configuration has the job's destination.
    public var isConfigured = true
    package var lanes: Lanes
    package var use = SlotUse()
    /// The uploads of large files in flight.
    public var largeUse = SlotUse()
    /// The limit of requests a second at the destination, and the requests that wait for it; nil for none.
    public var rate: (perSecond: Double, waiting: Int)?
    /// The cleanup that the job's cancel left; nil for none.
    public var cleanup: Cleanup?
    /// True while a commit waits for space on the disk.
    public var isLedgerFull = false
    /// True once the daemon begins nothing more.
    public var isStopping = false
    package var steady: Timestamp

    package init(lanes: Lanes, steady: Timestamp) {
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
    case .active: self = facts.rateWait ?? .inFlight
    case .awaitingConfirmation: self = job.question == nil ? .nothingEndsIt : .question
    case .queued, .deferred, .awaitingCredentials, .awaitingNetwork: self = Self.waiting(job, facts)
    }
  }

  /// Returns the reason why a cleanup is not done now.
  public init(of cleanup: Cleanup, _ facts: Facts) {
    guard let time = cleanup.nextAt else {
      self = facts.rateWait ?? .inFlight
      return
    }
    if !facts.isConfigured {
      self = facts.stop ?? .unconfigured
      return
    }
    self =
      facts.stop ?? facts.pause(of: cleanup.spool, at: cleanup.destination) ?? facts.wait(at: cleanup.destination)
      ?? (time > facts.steady && !facts.isHalfOpen(facts.gate) ? .deferred(until: time) : nil)
      ?? (facts.lanes.mayBegin(at: cleanup.destination, facts.use) ? .ready : facts.slots(in: facts.use))
  }

  private static func waiting(_ job: Job, _ facts: Facts) -> Standstill {
    if let stop = facts.stop { return stop }
    let spool = job.ticket.spool
    let isSpoolPaused = facts.pauses.contains { $0.target.spool == spool }
    // A job whose spool is paused is asked about when the pause ends.
    if !facts.isConfigured, !(job.state == .queued && isSpoolPaused) { return .unconfigured }
    if let pause = facts.pause(of: spool, at: job.destination) { return pause }
    if job.state == .deferred {
      guard let time = job.nextAttemptAt else { return .nothingEndsIt }
      return time > facts.steady ? facts.wait(at: job.destination, after: time) : .ready
    }
    if job.waitsForCleanup {
      guard let cleanup = facts.cleanup else { return .nothingEndsIt }
      return .cleanup(Standstill(of: cleanup, facts))
    }
    if let wait = facts.wait(at: job.destination) { return wait }
    if !facts.lanes.mayBegin(at: job.destination, facts.use) { return facts.slots(in: facts.use) }
    // A job that waits for a key or the network is queued first, and waits for a slot of large uploads only then. A probe needs none.
    let isProbe = facts.isHalfOpen(facts.gate) || facts.isHalfOpen(facts.grantorGate)
    guard job.state == .queued, job.isLargeUpload, !isProbe else { return .ready }
    return facts.lanes.large.mayBegin(at: job.destination, facts.largeUse) ? .ready : facts.slots(in: facts.largeUse)
  }
}

extension Standstill.Facts {
  /// The reason why nothing at all begins; nil if there is none.
  fileprivate var stop: Standstill? { isStopping ? .stopping : isLedgerFull ? .ledgerIsFull : nil }

  fileprivate func pause(of spool: String, at destination: Destination) -> Standstill? {
    let destinations = [destination] + [grantor].compactMap(\.self)
    return Pause.holding(spool: spool, at: destinations, among: pauses).first.map { .paused(Hold($0)) }
  }

  /// Returns true if a gate takes a probe.
  fileprivate func isHalfOpen(_ gate: Gate?) -> Bool {
    switch gate?.state {
    case .halfOpen: true
    case .closed(_, let until), .asking(_, _, let until): until <= steady
    case nil, .open, .probing: false
    }
  }

  /// The wait for the gates of a destination and of the backend that grants its uploads; nil if they let a job begin.
  fileprivate func wait(at destination: Destination) -> Standstill? {
    let own = wait(for: gate, at: destination, isGateServed)
    guard let grantor, let other = wait(for: grantorGate, at: grantor, isGrantorGateServed) else { return own }
    return own.map { $0.outlasts(other) ? $0 : other } ?? other
  }

  private func wait(for gate: Gate?, at destination: Destination, _ isServed: Bool) -> Standstill? {
    guard let gate, let hold = Hold(gate, at: destination) else { return nil }
    switch gate.state {
    case .open, .halfOpen: return nil
    case .closed(_, let until): return until > steady ? .gateClosed(hold, until: until) : nil
    case .asking(_, let job, let until):
      if until <= steady { return nil }
      return isServed ? .asking(hold, job) : .nothingEndsIt
    case .probing(_, let job): return isServed ? .probing(hold, job) : .nothingEndsIt
    }
  }

  /// The wait for a time, or for the gates if that takes longer.
  fileprivate func wait(at destination: Destination, after time: Timestamp) -> Standstill {
    let deferred = Standstill.deferred(until: time)
    guard let wait = wait(at: destination), !deferred.outlasts(wait) else { return deferred }
    return wait
  }

  /// The wait for the limit of requests a second; nil if it holds nothing back.
  fileprivate var rateWait: Standstill? { rate.flatMap { $1 > 0 ? .rate(perSecond: $0, waiting: $1) : nil } }

  /// The wait for one of the slots in use.
  fileprivate func slots(in use: SlotUse) -> Standstill { use.total > 0 ? rateWait ?? .slots : .nothingEndsIt }
}
