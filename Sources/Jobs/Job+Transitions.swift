/// An error: the command does not fit the job as it is. Nothing was changed.
public struct Refusal: Error, Hashable, Sendable {
  /// The reason why a command does not fit.
  public enum Reason: Hashable, Sendable {
    /// The job's state does not allow it.
    case state
    /// The caller spoke of an older revision.
    case revision(Int64)
  }

  /// The job as it is.
  public var job: Job
  /// The reason why the command does not fit.
  public var reason: Reason

  /// Creates a refusal that shows the job as it is.
  public init(job: Job, reason: Reason) {
    self.job = job
    self.reason = reason
  }
}

/// The effects of a change, beside the job's new state.
public struct Transition: Hashable, Sendable {
  /// The event for readers, if there is one.
  public var event: JobEvent?
  /// The try that ended with this change, for the list of attempts.
  public var attempt: Attempt?
  /// The change to what must still be done at the far side.
  public var cleanup: CleanupChange?

  /// A change that nobody needs to hear of.
  public static let silent = Transition()
}

extension Job {
  /// Folds what happened into the job. Every state answers every input with a change, with none (nil) or with a refusal.
  ///
  /// - Parameters:
  ///   - now: the time that people see.
  ///   - steady: the time on the clock that does not jump; `nextAttemptAt` counts on it.
  /// - Returns: the effects, or nil if the input comes too late to matter.
  /// - Throws: ``Refusal`` if a person asked for something that does not fit the state.
  public mutating func apply(_ input: JobInput, now: Timestamp, steady: Timestamp) throws(Refusal) -> Transition? {
    let transition = try change(input, now: now, steady: steady)
    if transition != nil { isPlain = isPlain && followsFromFacts }
    return transition
  }

  private mutating func change(
    _ input: JobInput, now: Timestamp, steady: Timestamp
  ) throws(Refusal) -> Transition? {
    switch (input, state) {
    case (.begin, .queued):
      begin(at: now)
      return .silent
    case (.begin, .active), (.begin, .deferred), (.begin, .awaitingConfirmation), (.begin, .awaitingCredentials),
      (.begin, .awaitingNetwork), (.begin, .registered), (.begin, .aborted), (.begin, .cancelled), (.begin, .discarded),
      (.begin, .moved):
      return nil

    case (.finished(let attempt, let result), .active):
      guard attempt == self.attempt else { return nil }
      return finish(result, now: now, steady: steady)
    case (.finished, .queued), (.finished, .deferred), (.finished, .awaitingConfirmation),
      (.finished, .awaitingCredentials), (.finished, .awaitingNetwork), (.finished, .registered), (.finished, .aborted),
      (.finished, .cancelled), (.finished, .discarded), (.finished, .moved):
      return nil  // the operator was quicker than the answer

    case (.beganParts(let attempt, let upload), .active):
      guard step == .upload, attempt == self.attempt else { return nil }
      multipart = upload
      return .silent
    case (.beganParts(let attempt, let upload), .cancelled), (.beganParts(let attempt, let upload), .discarded):
      // a cancel was quicker than the storage's answer
      guard step == .upload, attempt == self.attempt else { return nil }
      changed(now)
      return Transition(event: nil, cleanup: owePartsAlone(upload, steady))
    case (.beganParts, .queued), (.beganParts, .deferred), (.beganParts, .awaitingConfirmation),
      (.beganParts, .awaitingCredentials), (.beganParts, .awaitingNetwork), (.beganParts, .registered),
      (.beganParts, .aborted), (.beganParts, .moved):
      return nil  // of an attempt that has ended

    case (.due, .deferred), (.due, .awaitingCredentials), (.due, .awaitingNetwork):
      enqueue(now)
      return .silent
    case (.due, .queued), (.due, .active), (.due, .awaitingConfirmation), (.due, .registered), (.due, .aborted),
      (.due, .cancelled), (.due, .discarded), (.due, .moved):
      return nil

    case (.mustAsk(let failure), .queued), (.mustAsk(let failure), .deferred),
      (.mustAsk(let failure), .awaitingCredentials), (.mustAsk(let failure), .awaitingNetwork):
      return Transition(event: event(follow(.ask, after: failure, now: now, steady: steady), now))
    case (.mustAsk, .active), (.mustAsk, .awaitingConfirmation), (.mustAsk, .registered),
      (.mustAsk, .aborted), (.mustAsk, .cancelled), (.mustAsk, .discarded), (.mustAsk, .moved):
      return nil  // an attempt in flight learns it by itself; an open question stays what it is

    case (.cleaned(let remote, let failure), _):
      guard self.remote == .pending else { return nil }
      return clean(remote, failure, now)

    case (.answer(let answer), _):
      return try apply(answer, now: now, steady: steady)

    case (.disposed, .registered), (.disposed, .discarded):
      guard disposedAt == nil else { return nil }
      changed(now)
      disposedAt = now
      return .silent
    case (.disposed, .queued), (.disposed, .active), (.disposed, .deferred), (.disposed, .awaitingConfirmation),
      (.disposed, .awaitingCredentials), (.disposed, .awaitingNetwork), (.disposed, .aborted), (.disposed, .cancelled),
      (.disposed, .moved):
      return nil

    case (.released, .aborted), (.released, .cancelled):
      guard let release else { return nil }
      return leave(for: .released, by: release.by, now, steady)
    case (.releaseFailed, .aborted), (.releaseFailed, .cancelled):
      guard release != nil else { return nil }
      changed(now)
      release = nil
      return .silent
    case (.released, .queued), (.released, .active), (.released, .deferred), (.released, .awaitingConfirmation),
      (.released, .awaitingCredentials), (.released, .awaitingNetwork), (.released, .registered),
      (.released, .discarded), (.released, .moved), (.releaseFailed, .queued), (.releaseFailed, .active),
      (.releaseFailed, .deferred),
      (.releaseFailed, .awaitingConfirmation), (.releaseFailed, .awaitingCredentials),
      (.releaseFailed, .awaitingNetwork), (.releaseFailed, .registered), (.releaseFailed, .discarded),
      (.releaseFailed, .moved):
      return nil  // only a release that is under way can end, and it holds the job where it is

    case (.movedAway(let host), .queued), (.movedAway(let host), .active), (.movedAway(let host), .deferred),
      (.movedAway(let host), .awaitingConfirmation), (.movedAway(let host), .awaitingCredentials),
      (.movedAway(let host), .awaitingNetwork), (.movedAway(let host), .aborted), (.movedAway(let host), .cancelled):
      return moveAway(to: host, now)
    case (.movedAway, .registered), (.movedAway, .discarded), (.movedAway, .moved):
      return nil  // what this host has done with the file stands

    case (.tookOver(let inheritance), .queued), (.tookOver(let inheritance), .active),
      (.tookOver(let inheritance), .deferred), (.tookOver(let inheritance), .awaitingConfirmation),
      (.tookOver(let inheritance), .awaitingCredentials), (.tookOver(let inheritance), .awaitingNetwork),
      (.tookOver(let inheritance), .aborted), (.tookOver(let inheritance), .cancelled),
      (.tookOver(let inheritance), .moved):
      return takeOver(inheritance, now, steady)
    case (.tookOver, .registered), (.tookOver, .discarded):
      return nil  // the file is disposed of
    }
  }

  private mutating func apply(_ answer: Answer, now: Timestamp, steady: Timestamp) throws(Refusal) -> Transition {
    switch (answer, state) {
    case (.confirm(let by, let link), .deferred), (.confirm(let by, let link), .awaitingConfirmation),
      (.confirm(let by, let link), .awaitingCredentials), (.confirm(let by, let link), .awaitingNetwork):
      return try confirm(by: by, link: link, now: now, steady: steady)
    case (.confirm, .queued), (.confirm, .active), (.confirm, .registered), (.confirm, .aborted),
      (.confirm, .cancelled), (.confirm, .discarded), (.confirm, .moved):
      throw Refusal(job: self, reason: .state)

    case (.retry(let by), .deferred), (.retry(let by), .awaitingConfirmation), (.retry(let by), .awaitingCredentials),
      (.retry(let by), .awaitingNetwork), (.retry(let by), .aborted), (.retry(let by), .cancelled):
      guard release == nil else { throw Refusal(job: self, reason: .state) }
      startAnew(now)
      return Transition(
        event: JobEvent(at: now, kind: .retried, step: step, job: self, by: by),
        cleanup: remote == .pending ? .hurry : nil)
    case (.retry, .queued), (.retry, .active), (.retry, .registered), (.retry, .discarded), (.retry, .moved):
      throw Refusal(job: self, reason: .state)

    case (.cancel(let cancellation), .queued), (.cancel(let cancellation), .active),
      (.cancel(let cancellation), .deferred), (.cancel(let cancellation), .awaitingConfirmation),
      (.cancel(let cancellation), .awaitingCredentials), (.cancel(let cancellation), .awaitingNetwork):
      return cancel(cancellation, now: now, steady: steady)
    case (.cancel, .registered), (.cancel, .aborted), (.cancel, .cancelled), (.cancel, .discarded), (.cancel, .moved):
      throw Refusal(job: self, reason: .state)

    case (.discard(let by), .aborted), (.discard(let by), .cancelled):
      guard release == nil else { throw Refusal(job: self, reason: .state) }
      return leave(for: .discarded, by: by, now, steady)
    case (.release(let by, let to), .aborted), (.release(let by, let to), .cancelled):
      guard release == nil else { throw Refusal(job: self, reason: .state) }
      changed(now)
      release = Release(to: to, by: by)
      return .silent
    case (.discard, .queued), (.discard, .active), (.discard, .deferred), (.discard, .awaitingConfirmation),
      (.discard, .awaitingCredentials), (.discard, .awaitingNetwork), (.discard, .registered), (.discard, .discarded),
      (.discard, .moved), (.release, .queued), (.release, .active), (.release, .deferred),
      (.release, .awaitingConfirmation),
      (.release, .awaitingCredentials), (.release, .awaitingNetwork), (.release, .registered), (.release, .discarded),
      (.release, .moved):
      throw Refusal(job: self, reason: .state)
    }
  }

  /// Begins an attempt: the job is queued, and no hold is on it.
  public mutating func begin(at now: Timestamp) {
    changed(now)
    state = .active
    tries[step] += 1
    attemptStartedAt = now
  }

  private mutating func finish(_ result: AttemptResult, now: Timestamp, steady: Timestamp) -> Transition {
    let step = self.step
    let attempt: Attempt
    switch result {
    case .uploaded(let link):
      attempt = ended(.succeeded, now)
      stored = link
      mayBeStored = false
      multipart = nil
      toNextStep(now)
      return Transition(
        event: JobEvent(at: now, kind: .uploaded, step: step, job: self, took: attempt.took), attempt: attempt)
    case .registered(let receipt):
      attempt = ended(.succeeded, now)
      registration = receipt
      failure = nil
      end(.registered, now)
      return Transition(
        event: JobEvent(at: now, kind: .registered, step: step, job: self, took: attempt.took), attempt: attempt)
    case .failed(let failure, let verdict):
      attempt = ended(.failed, now, failure)
      if step == .upload, failure.mayHaveActed { mayBeStored = true }
      let kind = follow(verdict, after: failure, now: now, steady: steady)
      return Transition(event: event(kind, now, took: attempt.took), attempt: attempt)
    case .changed(let failure, let verdict, let identity):
      attempt = ended(.failed, now, failure)
      self.identity = identity
      objectMayBeStale = true
      let kind = follow(verdict, after: failure, now: now, steady: steady)
      return Transition(event: event(kind, now, took: attempt.took), attempt: attempt)
    case .cut:
      attempt = ended(.cut, now)
      if step == .upload { mayBeStored = true }
      enqueue(now)
      return Transition(event: nil, attempt: attempt)
    case .unanswered:
      tries[step] -= 1
      enqueue(now)
      return .silent
    }
  }

  private mutating func follow(
    _ verdict: Verdict, after failure: Failure, now: Timestamp, steady: Timestamp
  ) -> JobEvent.Kind? {
    self.failure = failure
    switch verdict {
    case .abort:
      end(.aborted, now)
      return .aborted
    case .retry(let pause):
      leave(to: .deferred, now)
      schedule.spent += 1
      nextAttemptAt = steady + pause
      return .deferred
    case .wait(let pause):
      leave(to: .deferred, now)
      nextAttemptAt = steady + pause
      return .deferred
    case .ask:
      leave(to: .awaitingConfirmation, now)
      question = Question(text: Sentences.question(step, ticket.name, reason: failure.words), askedAt: now)
      return .question
    case .requeue:
      enqueue(now)
      return nil
    case .awaitCredentials:
      leave(to: .awaitingCredentials, now)
      return .deferred
    case .awaitNetwork:
      leave(to: .awaitingNetwork, now)
      return .deferred
    }
  }

  /// Returns the event of a failure; nil if another job's question covers it.
  private func event(_ kind: JobEvent.Kind?, _ now: Timestamp, took: Duration? = nil) -> JobEvent? {
    kind.map { JobEvent(at: now, kind: $0, step: step, job: self, took: took) }
  }

  private mutating func confirm(
    by: Caller, link: StoredLink?, now: Timestamp, steady: Timestamp
  ) throws(Refusal) -> Transition {
    var cleanup: CleanupChange?
    let step = self.step
    if let link {
      guard step == .upload else { throw Refusal(job: self, reason: .state) }
      cleanup = owePartsAlone(nil, steady)
      stored = link
      toNextStep(now)
    } else {
      startAnew(now)
    }
    return Transition(event: JobEvent(at: now, kind: .confirmed, step: step, job: self, by: by), cleanup: cleanup)
  }

  /// Ends the job because its file leaves; the record stays.
  private mutating func leave(
    for kind: JobEvent.Kind, by: Caller, _ now: Timestamp, _ steady: Timestamp
  ) -> Transition {
    let cleanup = owePartsAlone(nil, steady)
    end(.discarded, now)
    release = nil
    return Transition(event: JobEvent(at: now, kind: kind, step: step, job: self, by: by), cleanup: cleanup)
  }

  /// Moves on to step 2, with a schedule of its own, because the link is there.
  private mutating func toNextStep(_ now: Timestamp) {
    step = .register
    failure = nil
    finishedAt = nil
    schedule = RetrySchedule()
    enqueue(now)
  }

  /// Queues the job for the same step again, with the schedule from its beginning.
  private mutating func startAnew(_ now: Timestamp) {
    schedule = RetrySchedule()
    finishedAt = nil
    if remote != .pending { remote = nil }
    enqueue(now)
  }

  mutating func enqueue(_ now: Timestamp) { leave(to: .queued, now) }

  mutating func end(_ state: State, _ now: Timestamp) {
    leave(to: state, now)
    finishedAt = now
  }

  private mutating func leave(to state: State, _ now: Timestamp) {
    changed(now)
    self.state = state
    question = nil
    nextAttemptAt = nil
    attemptStartedAt = nil
  }

  mutating func changed(_ now: Timestamp) {
    revision += 1
    updatedAt = now
  }

  func ended(_ outcome: Attempt.Outcome, _ now: Timestamp, _ failure: Failure? = nil) -> Attempt {
    Attempt(
      step: step, number: attempt, startedAt: attemptStartedAt ?? now, endedAt: now, outcome: outcome, failure: failure)
  }
}
