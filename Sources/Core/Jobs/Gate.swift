public import Messages

/// Decides if anything new may start at a destination. A gate is closed while the destination is in trouble.
///
/// A pure value. The ledger's writer keeps one for each destination that is in trouble. The writer applies the result of each
/// attempt to the gate, and asks the gate before a job begins. So a result, the gate's change and the job that begins next are
/// one commit.
public struct Gate: Hashable, Sendable {
  /// The reason why a gate is closed; the raw value is the name that journal, stream and control socket use.
  public enum Reason: String, Sendable, CaseIterable {
    /// 503.
    case unavailable
    /// A server or gateway in trouble, or no answer (``Symptom/Kind/gateway``), met by job after job (``Run``).
    case gateway
    /// 429.
    case throttled
    /// The key was refused, or could not be read.
    case credentials
    /// No way to the destination was found.
    case network
    /// The destination is at fault or set up wrongly, and one job asks a person about it.
    case question
    /// A ``Pause``: an automatic gate never has this reason.
    case paused
  }

  /// The state of a gate. ``Gate/apply(_:now:steady:)`` moves a gate from one state to another; ARCHITECTURE.md shows all moves.
  public enum State: Hashable, Sendable {
    /// Everything may start. The run has what failed since the last success.
    case open(Run)
    /// Nothing starts before `until` (on the steady clock). A `Retry-After` for the same reason moves it later.
    case closed(Closure, until: Timestamp)
    /// The job asks a person, and nothing starts before `until` (on the steady clock). Then another job shows if the fault concerns the
    /// first job alone, or has passed. Each further job that meets the same fault moves `until` later.
    case asking(Closure, JobNumber, until: Timestamp)
    /// One job may start as the probe: `probe`, or any job if that is nil.
    case halfOpen(Closure, probe: JobNumber?)
    /// The probe is in flight: a job, or the look at the destination that goes before it.
    case probing(Closure, JobNumber)
  }

  /// The facts about a gate that is not open.
  public struct Closure: Hashable, Sendable {
    package var reason: Reason
    /// The wall-clock time since which the gate is closed for this reason.
    public var since: Timestamp
    /// The number of probes that have failed since the gate closed; pauses grow with it.
    public var failedProbes: Int
    /// The last job whose probe failed. The next probe is another job if there is one. If only this job is at fault, it would otherwise
    /// hold all others for ever.
    public var lastProbe: JobNumber?
    /// The reason of the last look, if that look was the last failure. It is not stored: a restart forgets it.
    public var lastLook: Message?
    /// ``since`` on the steady clock, which proves how long the gate has been closed. It is not stored: after a restart it is the time
    /// of the next failure.
    public var closedAt: Timestamp?
    /// The job whose question is still open while another one probes.
    public var asker: JobNumber?
    /// The refusal that job after job met and that made the gate ask; nil for any other reason.
    public var rejection: Rejection?
    /// The start of the attempt that made the gate ask, as long as the fault may be that job's alone; nil otherwise.
    var doubt: Timestamp?

    package init(
      reason: Reason, since: Timestamp, failedProbes: Int = 0, lastProbe: JobNumber? = nil, lastLook: Message? = nil,
      closedAt: Timestamp? = nil, asker: JobNumber? = nil, rejection: Rejection? = nil
    ) {
      self.reason = reason
      self.since = since
      self.failedProbes = failedProbes
      self.lastProbe = lastProbe
      self.lastLook = lastLook
      self.closedAt = closedAt
      self.asker = asker
      self.rejection = rejection
    }
  }

  /// The wait before the first probe, if the server asks for none; it doubles with each probe that fails.
  public static let firstPause: Duration = .seconds(30)
  /// The same for no network and for a question, where the look before the probe shows most at no cost.
  public static let firstLook: Duration = .seconds(1)
  /// The longest wait before a probe, if the server asks for none.
  public static let longestPause: Duration = .seconds(15 * 60)
  /// The same at a question, so that a repair is found without an answer.
  public static let longestQuestion: Duration = .seconds(5 * 60)

  /// The time for which a host's name may stay unresolved before a person is asked. It is long enough for a fault of the
  /// network to pass; a misspelt name never resolves.
  public static let longestUnresolved: Duration = .seconds(3600)

  package private(set) var state: State
  /// The jobs whose attempt was in flight when a different key was last read. Their results say nothing about that key.
  private var beforeKey: Set<JobNumber> = []
  /// The jobs whose attempt was in flight when the machine's network last changed.
  private var beforeNetwork: Set<JobNumber> = []

  /// True if a person asked for a probe while another one was under way or chosen. That one may be older than the repair: if it fails, the
  /// next probe follows at once. A restart forgets the request.
  var probesAgain = false { didSet { if !probesAgain { wanted = nil } } }
  /// The job that is to be the next probe, because it waits for a key or the network; nil for any job.
  var wanted: JobNumber?

  package init(_ state: State = .open(Run())) { self.state = state }

  /// The facts about the closed gate; nil while it is open.
  public var closure: Closure? {
    switch state {
    case .open: nil
    case .closed(let closure, _), .asking(let closure, _, _), .halfOpen(let closure, _), .probing(let closure, _):
      closure
    }
  }

  /// The time at which a closed gate lets one job probe, on the steady clock; nil for any other.
  public var until: Timestamp? { if case .closed(_, let until) = state { until } else { nil } }

  /// The same, also for an asking gate. People are not shown that time, because their answer ends the wait at once.
  public var nextTry: Timestamp? {
    switch state {
    case .closed(_, let until), .asking(_, _, let until): until
    case .open, .halfOpen, .probing: nil
    }
  }

  /// True if the gate is like a new one, so that it need not be stored.
  public var isPristine: Bool { self == Gate() }

  /// Returns the verdict on a job's failure, once the failure was applied to the gate: `verdict`, unless the gate's state
  /// overrules it.
  /// - Parameter steady: the time on the steady clock.
  public func verdict(_ verdict: Verdict, on failure: Failure, of job: JobNumber, steady: Timestamp) -> Verdict {
    switch (failure.kind, state) {
    case (.destination, .open), (.destination, .asking(_, job, _)): verdict
    case (.destination, _): .requeue  // another job asks for all of them
    case (.rejected, .asking(let closure, let asker, _)) where asker != job && closure.isCause(failure): .requeue
    case (.rejected, .halfOpen(let closure, _)), (.rejected, .probing(let closure, _)):
      closure.isCause(failure) ? .requeue : verdict
    case (.throttled, .closed(let closure, let until)) where closure.reason == .throttled:
      .wait(after: max(.zero, until - steady))
    case (.throttled, _), (.unavailable, _), (.credentials, _), (.network, _), (.transient, _), (.conflict, _),
      (.rejected, _), (.file, _), (.fileChanged, _), (.configuration, _):
      verdict
    }
  }

  /// Returns the failure as a fault of the destination if a host's name has not been resolved for so long that it may be misspelt; nil
  /// for any other failure.
  /// - Parameter steady: the time on the steady clock, because the wall clock may have been set.
  public func unresolved(_ failure: Failure, steady: Timestamp) -> Failure? {
    guard failure.kind == .network, failure.code == Failure.unresolvedCode, let closure, closure.reason == .network,
      let closedAt = closure.closedAt, steady - closedAt >= Self.longestUnresolved
    else { return nil }
    var failure = failure
    failure.kind = .destination
    failure.message = .forOverAnHour(why: failure.message)
    return failure
  }

  /// Remembers the attempts that were in flight when the key or the network changed, until they have ended.
  mutating func rememberChange(_ news: Event) {
    switch news {
    case .keyChanged(let inFlight): beforeKey = inFlight.union(probe)
    case .networkChanged(let inFlight): beforeNetwork = inFlight.union(probe)
    case .began(let job), .succeeded(let job, _), .failed(let job, _, _), .cut(let job), .left(let job):
      if !beforeKey.isEmpty { beforeKey.remove(job) }
      if !beforeNetwork.isEmpty { beforeNetwork.remove(job) }
    case .timePassed, .probeWanted, .wanted: break
    }
  }

  /// The job whose attempt or cleanup is the probe in flight.
  private var probe: Set<JobNumber> { if case .probing(_, let job) = state { [job] } else { [] } }

  /// True if a job's attempt or cleanup is the probe in flight.
  package func isProbed(by job: JobNumber) -> Bool { probe.contains(job) }

  /// True if one job may start, as the probe.
  package var isHalfOpen: Bool { if case .halfOpen = state { true } else { false } }

  /// Returns true if a job's attempt met a key or a network that is no longer the present one.
  ///
  /// The attempts themselves are remembered, because times cannot be compared: the wall clock may be set back.
  func isOutdated(_ reason: Reason, _ job: JobNumber) -> Bool {
    switch reason {
    case .credentials: beforeKey.contains(job)
    case .network: beforeNetwork.contains(job)
    case .unavailable, .gateway, .throttled, .question, .paused: false
    }
  }

  mutating func go(to state: State) { self.state = state }
}

extension Gate.Closure {
  /// Returns true if the gate asks because of this failure's refusal.
  func isCause(_ failure: Failure) -> Bool { rejection.map { $0 == Gate.Rejection(failure) } ?? false }
}

extension Gate.Reason {
  package var message: Message {
    switch self {
    case .unavailable: .gateUnavailable
    case .gateway: .gateErrors
    case .throttled: .gateThrottled
    case .credentials: .gateCredentials
    case .network: .gateNetwork
    case .question: .gateQuestion
    case .paused: .gatePaused
    }
  }
}
