extension Gate {
  /// The events that can happen to a gate.
  public enum Event: Hashable, Sendable {
    /// A job's attempt began.
    case began(JobNumber)
    /// An attempt succeeded.
    case succeeded(JobNumber)
    /// An attempt failed.
    case failed(JobNumber, Symptom)
    /// A stop cut an attempt.
    case cut(JobNumber)
    /// Time went by.
    case timePassed
    /// A different key was read, while attempts of these jobs were in flight.
    case keyChanged(inFlight: Set<JobNumber>)
    /// The machine's network changed: a route or an address came or went, while attempts of these jobs were in flight.
    case networkChanged(inFlight: Set<JobNumber>)
    /// A person or a new configuration allows a probe before its time.
    case probeWanted
    /// A person wants a job tried now that waits here for a key, the network or an answer.
    case wanted(JobNumber)
    /// A job that was to start here does not start any more: it was cancelled, or given its link by hand.
    case left(JobNumber)
  }

  /// The change of a gate that becomes an event.
  public enum Change: Hashable, Sendable {
    /// It is closed now, or for another reason than before.
    case closed
    /// It is open again.
    case opened
  }

  /// Folds what happened into the gate. Every state answers every event.
  ///
  /// Only a probe says if the trouble is over. An attempt that began before the gate closed may still succeed or fail, but it
  /// says nothing about the time since.
  ///
  /// - Parameters:
  ///   - now: the wall-clock time.
  ///   - steady: the time on the steady clock; `until` counts on it.
  /// - Returns: the change that becomes an event; nil if none does.
  public mutating func apply(_ event: Event, now: Timestamp, steady: Timestamp) -> Change? {
    defer { rememberChange(event) }
    switch (state, event) {
    case (.open, .succeeded):
      go(to: .open(run: []))
      return nil
    case (.open(let run), .failed(let job, let symptom)):
      return openMet(symptom, of: job, run, now, steady)
    case (.open, .began), (.open, .cut), (.open, .timePassed), (.open, .keyChanged), (.open, .networkChanged),
      (.open, .probeWanted), (.open, .wanted), (.open, .left):
      return nil

    case (.closed(let closure, let until), .failed(let job, let symptom)):
      if symptom.kind == .destination { return close(symptom, of: job, after: closure, now, steady) }
      if symptom.kind.reason == closure.reason, let asked = symptom.retryAfter {
        go(to: .closed(closure, until: max(until, steady + Verdict.clamp(asked))))
      }
      return nil
    case (.closed(let closure, let until), .timePassed):
      if until <= steady { go(to: .halfOpen(closure, probe: nil)) }
      return nil
    case (.closed(let closure, _), .keyChanged):
      if closure.reason == .credentials { go(to: .halfOpen(closure.anew, probe: nil)) }
      return nil
    case (.closed(let closure, _), .networkChanged):
      if closure.reason == .network { go(to: .halfOpen(closure.anew, probe: nil)) }
      return nil
    case (.closed(let closure, _), .probeWanted):
      go(to: .halfOpen(closure.anew, probe: nil))
      return nil
    case (.closed(let closure, _), .wanted(let job)):
      if closure.reason.hasWaitingJobs { go(to: .halfOpen(closure, probe: job)) }
      return nil
    case (.closed, .began), (.closed, .succeeded), (.closed, .cut), (.closed, .left):
      return nil

    case (.asking(let closure, let asker), .wanted(let job)):
      if job == asker { go(to: .halfOpen(closure, probe: job)) }
      return nil
    case (.asking(let closure, let asker), .left(let job)):
      if job == asker { go(to: .halfOpen(closure, probe: nil)) }
      return nil
    case (.asking, .began), (.asking, .succeeded), (.asking, .failed), (.asking, .cut), (.asking, .timePassed),
      (.asking, .keyChanged), (.asking, .networkChanged), (.asking, .probeWanted):
      return nil

    case (.halfOpen(let closure, _), .began(let job)):
      forget(job)
      go(to: .probing(closure, job))
      return nil
    case (.halfOpen(let closure, _), .failed(let job, let symptom)):
      return heard(symptom, of: job, closure, now, steady)
    case (.halfOpen(let closure, nil), .wanted(let job)):
      if closure.reason.hasWaitingJobs { go(to: .halfOpen(closure, probe: job)) }
      return nil
    case (.halfOpen(let closure, let probe?), .wanted(let job)):
      if job != probe, closure.reason.hasWaitingJobs { remember(.job(job)) }
      return nil
    case (.halfOpen(let closure, let probe), .left(let job)):
      forget(job)
      if job == probe { go(to: .halfOpen(closure, probe: nil)) }
      return nil
    case (.halfOpen, .succeeded), (.halfOpen, .cut),
      (.halfOpen, .timePassed), (.halfOpen, .keyChanged), (.halfOpen, .networkChanged), (.halfOpen, .probeWanted):
      return nil

    case (.probing(_, let probe), .succeeded(let job)):
      guard job == probe else { return nil }
      return open()
    case (.probing(let closure, let probe), .failed(let job, let symptom)):
      guard job == probe else { return heard(symptom, of: job, closure, now, steady) }
      return probeMet(symptom, of: job, closure, now, steady)
    case (.probing(let closure, let probe), .cut(let job)):
      if job == probe { go(to: .halfOpen(closure, probe: job)) }
      return nil
    case (.probing(let closure, let probe), .left(let job)):
      forget(job)
      if job == probe { go(to: .halfOpen(closure, probe: nil)) }
      return nil
    case (.probing(_, let probe), .wanted(let job)):
      if job != probe { remember(.job(job)) }
      return nil
    case (.probing, .probeWanted):
      remember(wish ?? .probe)
      return nil
    case (.probing, .began), (.probing, .timePassed), (.probing, .keyChanged), (.probing, .networkChanged):
      return nil
    }
  }

  private mutating func openMet(
    _ symptom: Symptom, of job: JobNumber, _ run: Set<JobNumber>, _ now: Timestamp, _ steady: Timestamp
  ) -> Change? {
    switch symptom.kind {
    case .unavailable, .throttled, .credentials, .network, .destination:
      return close(symptom, of: job, after: nil, now, steady)
    case .gateway:
      let run = run.union([job])
      guard run.count >= Self.longestRun else {
        go(to: .open(run: run))
        return nil
      }
      return close(symptom, of: job, after: nil, now, steady)
    case .answered:
      go(to: .open(run: []))
      return nil
    case .transient, .local:
      return nil
    }
  }

  /// Handles the failure of a job that began before the gate closed. Only a fault that needs a person counts.
  private mutating func heard(
    _ symptom: Symptom, of job: JobNumber, _ closure: Closure, _ now: Timestamp, _ steady: Timestamp
  ) -> Change? {
    guard symptom.kind == .destination, closure.reason != .question else { return nil }
    return close(symptom, of: job, after: closure, now, steady)
  }

  private mutating func probeMet(
    _ symptom: Symptom, of job: JobNumber, _ closure: Closure, _ now: Timestamp, _ steady: Timestamp
  ) -> Change? {
    switch symptom.kind {
    case .answered:
      return open()
    case .local:
      go(to: .halfOpen(closure, probe: nil))
      return nil
    case .unavailable, .gateway, .throttled, .credentials, .network, .destination, .transient:
      var closure = closure
      closure.failedProbes += 1
      if symptom.look == nil { closure.lastProbe = job }
      let change = close(symptom, of: job, after: closure, now, steady)
      fulfil()
      return change
    }
  }

  /// Grants the probe that a person asked for while the failed one was under way.
  private mutating func fulfil() {
    defer { remember(nil) }
    guard case .closed(let closure, _) = state else { return }
    switch wish {
    case .probe: go(to: .halfOpen(closure.anew, probe: nil))
    case .job(let job) where closure.reason.hasWaitingJobs: go(to: .halfOpen(closure, probe: job))
    case .job, nil: break
    }
  }

  /// Drops a wish for that job, which needs no further probe.
  private mutating func forget(_ job: JobNumber) {
    if wish == .job(job) { remember(nil) }
  }

  private mutating func close(
    _ symptom: Symptom, of job: JobNumber, after before: Closure?, _ now: Timestamp, _ steady: Timestamp
  ) -> Change? {
    let reason = symptom.kind.reason ?? before?.reason.whenTransient ?? .gateway
    let isNews = reason != before?.reason
    let closure = Closure(
      reason: reason, since: isNews ? now : before?.since ?? now,
      failedProbes: min(before?.failedProbes ?? 0, isNews ? 1 : .max), lastProbe: before?.lastProbe,
      lastLook: symptom.look, closedAt: isNews ? steady : before?.closedAt ?? steady)
    if reason == .question {
      go(to: .asking(closure, job))
    } else if isOutdated(reason, job) {
      go(to: .halfOpen(closure.anew, probe: nil))
    } else {
      go(to: .closed(closure, until: steady + Self.pause(symptom, closure)))
    }
    return isNews ? .closed : nil
  }

  private mutating func open() -> Change {
    remember(nil)
    go(to: .open(run: []))
    return .opened
  }

  /// The wait that the server asks for, else our own. It doubles with each probe that fails for the same reason: a server that
  /// always asks for one second would otherwise get a job of the backlog each second.
  private static func pause(_ symptom: Symptom, _ closure: Closure) -> Duration {
    let asked = symptom.retryAfter.map(Verdict.clamp)
    let repeats = asked == nil ? closure.failedProbes : max(0, closure.failedProbes - 1)
    let doubled = (asked ?? firstPause) * (1 << min(repeats, 10))
    return max(asked ?? .zero, min(doubled, longestPause))
  }
}

extension Gate.Closure {
  /// The same closure after something changed for the better: the pauses start anew.
  fileprivate var anew: Gate.Closure { Gate.Closure(reason: reason, since: since, closedAt: closedAt) }
}

extension Gate.Reason {
  /// True if the jobs that met it wait in a state of their own, and one of them may probe before the time if a person wants it.
  public var hasWaitingJobs: Bool {
    switch self {
    case .credentials, .network: true
    case .unavailable, .gateway, .throttled, .question, .paused: false
    }
  }

  /// The reason of a gate whose probe met a transient fault: the reason before it, except a question, which was answered by then.
  fileprivate var whenTransient: Gate.Reason { self == .question ? .gateway : self }
}
