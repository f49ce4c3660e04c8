/// Whether anything new may be started at a destination: closed while it is no use to.
///
/// A pure value. The ledger's writer keeps one for each destination that is in trouble, tells it what happens there, and
/// asks it before a job is begun, so that a result, the gate's change and what is begun next are one commit.
public struct Gate: Hashable, Sendable {
  /// Why a gate is closed; the raw value is the name that journal, stream and control socket use.
  public enum Reason: String, Sendable, CaseIterable, Codable {
    /// 503.
    case unavailable
    /// 500, 502, 504, 507 or time-outs, met by job after job.
    case gateway
    /// 429.
    case throttled
    /// The key was refused, or could not be read.
    case credentials
    /// No way to the destination was found.
    case network
    /// The destination is at fault or set up wrongly, and one job asks a person about it.
    case question
    /// A person closed it: a ``Pause``, never an automatic gate.
    case paused
  }

  /// Where a gate stands.
  public enum State: Hashable, Sendable {
    /// Takes whatever comes. `run` are the jobs that met 500, 502, 504, 507 or a time-out since the last success; it is closed once
    /// there are ``Gate/longestRun`` of them.
    case open(run: Set<JobNumber>)
    /// Nothing starts before that time (on the clock that does not jump); a different key or a change of the network may
    /// come first.
    case closed(Closure, until: Timestamp)
    /// Nothing starts before that job's question is answered.
    case asking(Closure, JobNumber)
    /// One job may start as the probe: this one, or else whichever is the first.
    case halfOpen(Closure, probe: JobNumber?)
    /// The probe is in flight. Its result opens the gate or closes it again.
    case probing(Closure, JobNumber)
  }

  /// What is known of a gate that is not open.
  public struct Closure: Hashable, Sendable {
    /// Why.
    public var reason: Reason
    /// Since when for this reason, in the time that people see.
    public var since: Timestamp
    /// How many probes have failed since it was closed; the pauses grow with it.
    public var failedProbes: Int
    /// The probe that failed last. The next one is another job where there is one: what is wrong may be wrong with that
    /// job alone, and would hold all others for good.
    public var lastProbe: JobNumber?

    /// A gate that is closed now, or as the ledger says.
    public init(reason: Reason, since: Timestamp, failedProbes: Int = 0, lastProbe: JobNumber? = nil) {
      self.reason = reason
      self.since = since
      self.failedProbes = failedProbes
      self.lastProbe = lastProbe
    }
  }

  /// What a person asked for while another probe was under way, or chosen: what the far side says to that one may be about
  /// the time before the repair.
  public enum Wish: Hashable, Sendable {
    /// A probe before its time, by whichever job.
    case probe
    /// That job tried now.
    case job(JobNumber)
  }

  /// How many different jobs in a row have to meet 500, 502, 504, 507 or time-outs for the gate to close.
  public static let longestRun = 8
  /// The wait before the first probe, where the far side asks for none; it doubles with each probe that fails.
  public static let firstPause: Duration = .seconds(30)
  /// The longest wait before a probe, where the far side asks for none.
  public static let longestPause: Duration = .seconds(15 * 60)

  /// How long a host's name may not be resolved before a person is asked: longer than a fault of the network is left alone, and
  /// a name that is misspelt never resolves.
  public static let longestUnresolved: Duration = .seconds(3600)

  /// Where it stands.
  public private(set) var state: State
  /// When a different key was last read. An attempt that began before says nothing about that key.
  private(set) var keyChangedAt: Timestamp?
  /// When the machine's network last changed.
  private(set) var networkChangedAt: Timestamp?

  /// What is to follow if the probe fails; forgotten by a restart.
  private(set) var wish: Wish?

  /// A gate that is open, or as the ledger says.
  public init(_ state: State = .open(run: [])) { self.state = state }

  /// Why it is closed and since when; nil while it is open.
  public var closure: Closure? {
    switch state {
    case .open: nil
    case .closed(let closure, _), .asking(let closure, _), .halfOpen(let closure, _), .probing(let closure, _): closure
    }
  }

  /// When one job may probe, on the clock that does not jump; nil where that is not a matter of time.
  public var until: Timestamp? { if case .closed(_, let until) = state { until } else { nil } }

  /// Whether it is as if nothing had ever happened, so that it need not be kept.
  public var isPristine: Bool { self == Gate() }

  /// What a job's failure leads to, given the gate that was told of it: by itself `verdict`, unless the gate knows better.
  ///
  /// - Parameter steady: the time on the clock that does not jump.
  public func verdict(_ verdict: Verdict, on failure: Failure, of job: JobNumber, steady: Timestamp) -> Verdict {
    switch (failure.kind, state) {
    case (.destination, .asking(_, job)): verdict
    case (.destination, _): .requeue  // another job asks for all of them
    case (.throttled, .closed(let closure, let until)) where closure.reason == .throttled:
      .wait(after: max(.zero, until - steady))
    case (.throttled, _), (.unavailable, _), (.credentials, _), (.network, _), (.transient, _), (.conflict, _),
      (.rejected, _), (.file, _), (.fileChanged, _), (.configuration, _):
      verdict
    }
  }

  /// What a failure is where a host's name has not been resolved for so long that it may be wrong: a fault of the destination; nil
  /// for any other.
  public func unresolved(_ failure: Failure, now: Timestamp) -> Failure? {
    guard failure.kind == .network, failure.code == Failure.unresolvedCode, let closure, closure.reason == .network,
      now - closure.since >= Self.longestUnresolved
    else { return nil }
    var failure = failure
    failure.kind = .destination
    failure.words += ", for over an hour: see whether it is right, and whether this host's name servers answer"
    return failure
  }

  mutating func take(_ news: Event, at now: Timestamp) {
    switch news {
    case .keyChanged: keyChangedAt = now
    case .networkChanged: networkChangedAt = now
    case .began, .succeeded, .failed, .cut, .timePassed, .probeWanted, .wanted, .left: break
    }
  }

  mutating func go(to state: State) { self.state = state }

  mutating func note(_ wish: Wish?) { self.wish = wish }
}

extension Gate.Reason {
  /// Why, for people.
  public var words: String {
    switch self {
    case .unavailable: "service unavailable (503)"
    case .gateway: "server errors or time-outs, time after time"
    case .throttled: "too many requests (429)"
    case .credentials: "the key was refused"
    case .network: "no way to it was found"
    case .question: "a question about it is open"
    case .paused: "paused"
    }
  }
}
