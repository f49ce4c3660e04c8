extension Gate {
  /// The events that can happen to a gate.
  public enum Event: Hashable, Sendable {
    case began(JobNumber)
    /// An attempt succeeded that began at this time; nil for one that is later than all failures.
    case succeeded(JobNumber, began: Timestamp? = nil)
    case failed(JobNumber, Symptom, Peers = Peers())
    case cut(JobNumber)
    case timePassed
    /// A different key was read, while attempts of these jobs were in flight.
    case keyChanged(inFlight: Set<JobNumber>)
    /// The machine's network changed: a route or an address came or went, while attempts of these jobs were in flight.
    case networkChanged(inFlight: Set<JobNumber>)
    /// A person or a new configuration allows a probe before its time.
    case probeWanted
    /// A person wants a job tried now that waits here for a key, the network or an answer.
    case wanted(JobNumber)
    /// A job no longer starts here: it was cancelled, or a person named its link.
    case left(JobNumber)
  }

  /// A change of a gate that becomes an event.
  public enum Change: Hashable, Sendable {
    /// The gate is closed now, or for another reason than before.
    case closed
    case opened
  }

  /// Folds what happened into the gate. Every state answers every event.
  ///
  /// Only a probe shows if the trouble is over. The result of an attempt that began before the gate closed says nothing about the time
  /// since.
  /// - Parameters:
  ///   - now: the wall-clock time.
  ///   - steady: the time on the steady clock, on which `until` counts.
  /// - Returns: the change that becomes an event; nil if none does.
  public mutating func apply(_ event: Event, now: Timestamp, steady: Timestamp) -> Change? {
    let before = closure
    let change = changed(by: event, now: now, steady: steady)
    rememberChange(event)
    assert((change == .opened) == (before != nil && closure == nil), "\(event) opens")
    assert((change == .closed) == (closure != nil && closure?.reason != before?.reason), "\(event) closes")
    assert(closure?.asker == nil || closure?.reason == before?.reason, "a question about another reason")
    assert(!probesAgain || closure != nil, "an open gate takes no probe")
    return change
  }

  private mutating func changed(by event: Event, now: Timestamp, steady: Timestamp) -> Change? {
    switch (state, event) {
    case (.open(var run), .succeeded(_, let began)):
      run.succeeded(began, now: now)
      go(to: .open(run))
    case (.open(let run), .failed(let job, let symptom, let peers)):
      return openMet(symptom, of: job, peers, run, now, steady)
    case (.open, .began), (.open, .cut), (.open, .timePassed), (.open, .keyChanged), (.open, .networkChanged),
      (.open, .probeWanted), (.open, .wanted), (.open, .left):
      break

    case (.closed(let closure, let until), .failed(let job, let symptom, let peers)):
      if symptom.kind.reason == .question { return close(symptom, of: job, peers, after: closure, now, steady) }
      if symptom.kind.reason == closure.reason, let asked = symptom.retryAfter {
        go(to: .closed(closure, until: max(until, steady + Verdict.clamp(asked))))
      }
    case (.closed(let closure, let until), .timePassed):
      if until <= steady { go(to: .halfOpen(closure, probe: nil)) }
    case (.closed(let closure, _), .keyChanged):
      if closure.reason == .credentials { go(to: .halfOpen(closure.anew, probe: nil)) }
    case (.closed(let closure, _), .networkChanged):
      if closure.reason == .network { go(to: .halfOpen(closure.anew, probe: nil)) }
    case (.closed(let closure, _), .probeWanted):
      go(to: .halfOpen(closure.anew, probe: nil))
    case (.closed(let closure, _), .wanted(let job)):
      if closure.reason.hasWaitingJobs { go(to: .halfOpen(closure, probe: job)) }
    case (.closed, .began), (.closed, .succeeded), (.closed, .cut), (.closed, .left):
      break

    case (.asking(let closure, let asker, _), .wanted(let job)):
      if job == asker { go(to: .halfOpen(closure, probe: job)) }
    case (.asking(let closure, let asker, _), .left(let job)):
      if job == asker { go(to: .halfOpen(closure, probe: nil)) }
    case (.asking(var closure, let asker, let until), .timePassed):
      closure.asker = asker
      if until <= steady { go(to: .halfOpen(closure, probe: nil)) }
    case (.asking(let closure, let asker, let until), .failed(let job, let symptom, _)):
      guard job != asker, closure.isMet(by: symptom) else { return nil }
      // The number in flight does not matter: a trial after a few seconds costs little, and shows more.
      askLater(closure, asker, until, steady, failedProbes: min(closure.failedProbes + 1, max(2, closure.failedProbes)))
    case (.asking(var closure, let asker, _), .succeeded(_, let began)):
      guard let doubt = closure.doubt, let began, began >= doubt else { return nil }
      closure.asker = asker
      return open(after: closure)
    case (.asking, .began), (.asking, .cut), (.asking, .keyChanged), (.asking, .networkChanged),
      (.asking, .probeWanted):
      break

    case (.halfOpen(let closure, _), .began(let job)):
      go(to: .probing(closure, job))
    case (.halfOpen(let closure, _), .failed(let job, let symptom, let peers)):
      return heard(symptom, of: job, peers, closure, now, steady)
    case (.halfOpen(let closure, _), .wanted(let job)) where job == closure.asker:
      go(to: .halfOpen(closure.answered, probe: job))
    case (.halfOpen(let closure, nil), .wanted(let job)):
      if closure.reason.hasWaitingJobs { go(to: .halfOpen(closure, probe: job)) }
    case (.halfOpen(let closure, let probe?), .wanted(let job)):
      if job != probe, closure.reason.hasWaitingJobs { (probesAgain, wanted) = (true, job) }
    case (.halfOpen(let closure, let probe), .left(let job)):
      go(to: .halfOpen(job == closure.asker ? closure.answered : closure, probe: job == probe ? nil : probe))
    case (.halfOpen, .succeeded), (.halfOpen, .cut),
      (.halfOpen, .timePassed), (.halfOpen, .keyChanged), (.halfOpen, .networkChanged), (.halfOpen, .probeWanted):
      break

    case (.probing(let closure, let probe), .succeeded(let job, _)):
      return job == probe ? open(after: closure) : nil
    case (.probing(let closure, let probe), .failed(let job, let symptom, let peers)):
      guard job == probe else { return heard(symptom, of: job, peers, closure, now, steady) }
      return probeMet(symptom, of: job, peers, closure, now, steady)
    case (.probing(let closure, let probe), .cut(let job)):
      if job == probe { go(to: .halfOpen(closure, probe: job)) }
    case (.probing(let closure, let probe), .left(let job)):
      let closure = job == closure.asker ? closure.answered : closure
      go(to: job == probe ? .halfOpen(closure, probe: nil) : .probing(closure, probe))
    case (.probing(let closure, let probe), .wanted(let job)):
      if job == closure.asker { go(to: .probing(closure.answered, probe)) }
      if job != probe, closure.reason.hasWaitingJobs { (probesAgain, wanted) = (true, job) }
    case (.probing, .probeWanted):
      probesAgain = true
    case (.probing, .began), (.probing, .timePassed), (.probing, .keyChanged), (.probing, .networkChanged):
      break
    }
    return nil
  }

  private mutating func openMet(
    _ symptom: Symptom, of job: JobNumber, _ peers: Peers, _ run: Run, _ now: Timestamp, _ steady: Timestamp
  ) -> Change? {
    var run = run
    let cause: Run.Cause
    switch symptom.kind {
    case .unavailable, .throttled, .credentials, .network, .destination:
      return close(symptom, of: job, peers, after: nil, now, steady)
    case .transient, .local: return nil
    case .gateway: cause = .gateway
    case .doubtful:
      // If such a refusal was about one job alone before, each further job asks for itself.
      guard run.memory > 0 else { return close(symptom, of: job, peers, after: nil, now, steady) }
      cause = .doubt
    case .answered:
      guard let rejection = symptom.rejection else {
        run.succeeded(peers.began, now: now)
        go(to: .open(run))
        return nil
      }
      cause = .rejection(rejection)
      // For a run of another cause, this refusal counts as an answer, like a success.
      if run.count > 0, !run.isOf(cause) { run.succeeded(peers.began, now: now) }
    }
    if run.add(cause, of: job, peers) { return close(symptom, of: job, peers, after: nil, now, steady) }
    go(to: .open(run))
    return nil
  }

  /// Handles the failure of a job that began before the gate closed. Only a fault that needs a person counts.
  private mutating func heard(
    _ symptom: Symptom, of job: JobNumber, _ peers: Peers, _ closure: Closure, _ now: Timestamp, _ steady: Timestamp
  ) -> Change? {
    guard symptom.kind.reason == .question, closure.reason != .question else { return nil }
    return close(symptom, of: job, peers, after: closure, now, steady)
  }

  private mutating func probeMet(
    _ symptom: Symptom, of job: JobNumber, _ peers: Peers, _ closure: Closure, _ now: Timestamp, _ steady: Timestamp
  ) -> Change? {
    switch symptom.kind {
    case .answered where !closure.isMet(by: symptom):
      return open(after: closure)
    case .local:
      go(to: .halfOpen(closure, probe: nil))
      return nil
    // The question was answered during the look. A look asks nobody: the next probe does.
    case .destination where closure.asker == nil && symptom.look != nil:
      go(to: .halfOpen(closure, probe: nil))
      return nil
    case .gateway where closure.asker != nil, .transient where closure.asker != nil:
      // One such failure may be chance: another job tries.
      if let asker = closure.asker {
        askLater(closure.answered, asker, steady, steady, failedProbes: closure.failedProbes + 1)
      }
      probesAgain = false
      return nil
    case .unavailable, .gateway, .throttled, .credentials, .network, .destination, .doubtful, .transient, .answered:
      var closure = closure
      closure.failedProbes += 1
      if symptom.look == nil { closure.lastProbe = job }
      let change = close(symptom, of: job, peers, after: closure, now, steady)
      // A job that is wanted because of the key or the network does not probe before the pause after a 503 ends.
      if probesAgain, case .closed(let closure, _) = state, wanted == nil || closure.reason.hasWaitingJobs {
        go(to: .halfOpen(wanted == nil ? closure.anew : closure, probe: wanted))
      }
      probesAgain = false
      return change
    }
  }

  /// Moves the next try later, because another job has met the same fault or has shown nothing.
  private mutating func askLater(
    _ closure: Closure, _ asker: JobNumber, _ until: Timestamp, _ steady: Timestamp, failedProbes: Int
  ) {
    var closure = closure
    closure.doubt = nil
    closure.failedProbes = failedProbes
    go(to: .asking(closure, asker, until: max(until, steady + Self.pause(Symptom(.doubtful), closure))))
  }

  private mutating func close(
    _ symptom: Symptom, of job: JobNumber, _ peers: Peers, after before: Closure?, _ now: Timestamp, _ steady: Timestamp
  ) -> Change? {
    let reason =
      symptom.rejection.map { _ in .question } ?? symptom.kind.reason ?? before?.reason.whenTransient ?? .gateway
    let isNews = reason != before?.reason
    var closure = Closure(
      reason: reason, since: isNews ? now : before?.since ?? now,
      failedProbes: min(before?.failedProbes ?? 0, isNews ? 1 : .max), lastProbe: before?.lastProbe,
      lastLook: symptom.look, closedAt: isNews ? steady : before?.closedAt ?? steady)
    if reason == .question {
      closure.rejection = symptom.rejection
      if before == nil, symptom.kind == .doubtful { closure.doubt = peers.began }
      go(to: .asking(closure, before?.asker ?? job, until: steady + Self.pause(symptom, closure)))
    } else if isOutdated(reason, job) {
      go(to: .halfOpen(closure.anew, probe: nil))
    } else {
      go(to: .closed(closure, until: steady + Self.pause(symptom, closure)))
    }
    return isNews ? .closed : nil
  }

  /// Opens the gate. If the gate was closed by a run of failures, single failures count as chance for a while. If a question is still
  /// open, it is about its job alone.
  private mutating func open(after closure: Closure) -> Change {
    probesAgain = false
    let memory = closure.asker != nil ? Run.longMemory : closure.reason == .gateway ? Run.memory : 0
    go(to: .open(Run(memory: memory)))
    return .opened
  }

  /// The wait that the server asks for, else our own. It doubles with each probe that fails for the same reason; otherwise a server
  /// that always asks for one second would get one job each second.
  private static func pause(_ symptom: Symptom, _ closure: Closure) -> Duration {
    let asked = symptom.retryAfter.map(Verdict.clamp)
    let repeats = asked == nil ? closure.failedProbes : max(0, closure.failedProbes - 1)
    let doubled = (asked ?? closure.reason.firstPause).doubled(
      repeats / closure.reason.probesOfEachPause, upTo: closure.reason.longestPause)
    assert(doubled > .zero, "a gate that waits for nothing")
    return max(asked ?? .zero, doubled)
  }
}

extension Gate.Closure {
  /// The same closure with its pauses started anew, because something has changed.
  fileprivate var anew: Gate.Closure { Gate.Closure(reason: reason, since: since, closedAt: closedAt) }

  /// The same closure after its question was answered.
  fileprivate var answered: Gate.Closure {
    var closure = self
    closure.asker = nil
    return closure
  }

  /// Returns true if a symptom is what the gate asks about.
  fileprivate func isMet(by symptom: Gate.Symptom) -> Bool {
    guard reason == .question else { return false }
    return symptom.kind.reason == .question || rejection != nil && symptom.rejection == rejection
  }
}

extension Gate.Reason {
  /// True if the jobs that met this reason wait in a state of their own. A person may have one of them probe before the time.
  public var hasWaitingJobs: Bool {
    switch self {
    case .credentials, .network: true
    case .unavailable, .gateway, .throttled, .question, .paused: false
    }
  }

  /// The wait before the first probe.
  fileprivate var firstPause: Duration {
    switch self {
    case .network, .question: Gate.firstLook
    case .unavailable, .gateway, .throttled, .credentials, .paused: Gate.firstPause
    }
  }

  /// The number of probes after which the pause doubles. For a missing network the pause grows so slowly that it stays near an eighth
  /// of the absence.
  fileprivate var probesOfEachPause: Int { self == .network ? 8 : 1 }

  fileprivate var longestPause: Duration { self == .question ? Gate.longestQuestion : Gate.longestPause }

  /// The reason of a gate whose probe met a transient fault: the reason before, except a question, which was answered by then.
  fileprivate var whenTransient: Gate.Reason { self == .question ? .gateway : self }
}
