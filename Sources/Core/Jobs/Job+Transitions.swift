import Messages

/// An error: the command does not fit the job as it is. Nothing was changed.
public struct Refusal: Error, Hashable, Sendable {
  /// The reason why a command does not fit.
  public enum Reason: Hashable, Sendable {
    /// The job's state does not allow this command.
    case state(JobCommand.Name)
    /// The caller named this revision, which is not the present one.
    case revision(Int64)
  }

  package var job: Job
  package var reason: Reason

  package init(job: Job, reason: Reason) {
    self.job = job
    self.reason = reason
  }
}

/// The effects of a change, besides the job's new state.
public struct Transition: Hashable, Sendable {
  package var event: JobEvent?
  /// The try that ended with this change, for the list of attempts.
  public var attempt: Attempt?
  /// The change to what must still be done at the storage.
  public var cleanup: CleanupChange?

  /// The transition of a change without event, attempt or cleanup.
  public static let silent = Transition()
}

extension Job {
  /// Folds what happened into the job: one method for each input. Every state answers every input with a change, with none (nil)
  /// or with a refusal.
  /// - Parameters:
  ///   - now: the wall-clock time, which people see.
  ///   - steady: the time on the steady clock, on which `nextAttemptAt` counts.
  /// - Returns: the effects, or nil if the input comes too late to matter.
  /// - Throws: ``Refusal`` if a person asked for something that does not fit the state.
  public mutating func apply(_ input: JobInput, now: Timestamp, steady: Timestamp) throws(Refusal) -> Transition? {
    let before = self
    let transition =
      switch input {
      case .begin: began(now)
      case .finished(let attempt, let result): finished(attempt, with: result, now: now, steady: steady)
      case .beganParts(let attempt, let upload): beganParts(attempt, upload, now: now, steady: steady)
      case .due: due(now)
      case .mustAsk(let failure): mustAsk(failure, now: now, steady: steady)
      case .joined(let ticket, let failure, let caller): joined(ticket, asks: failure, by: caller, now, steady)
      case .command(let command, let caller, let link):
        try carriedOut(command, by: caller, link: link, now: now, steady: steady)
      case .cleaned(let remote, let failure): cleaned(remote, failure, now)
      case .disposed: disposed(now)
      case .released: released(now, steady)
      case .releaseFailed: releaseFailed(now)
      }
    assert(transition != nil || self == before, "a change without effects")
    assert(state == before.state || isSound, "\(state) with what belongs to another state")
    assert(before.state.phase != .done || state == before.state, "\(before.state) is final")
    assert(revision >= before.revision, "an older revision")
    assert(stored != nil || before.stored == nil, "a link that the backend may know was forgotten")
    assert(step == .register || before.step == .upload || remote == .pending, "step 1 again, but nothing is removed")
    let wasSent = if case .finished(_, .unanswered) = input { false } else { true }
    assert(!wasSent || tries[before.step] >= before.tries[before.step], "an attempt is forgotten")
    return transition
  }

  /// True if the job has what belongs to its state, and nothing else. It holds after each change of the state; before one, the row of a
  /// damaged ledger may say anything.
  private var isSound: Bool {
    (state == .awaitingConfirmation) == (question != nil) && (state == .deferred) == (nextAttemptAt != nil)
      && (state == .active) == (attemptStartedAt != nil) && (!state.isTerminal || finishedAt != nil)
      && (state != .registered || registration != nil) && (state != .skipped || recognized != nil)
  }

  /// Begins an attempt of a queued job that no gate and no pause holds.
  private mutating func began(_ now: Timestamp) -> Transition? {
    guard state == .queued else { return nil }
    assert(!waitsForCleanup, "the cleanup would delete what the attempt stores")
    enter(.active, now)
    tries[step] += 1
    attemptStartedAt = now
    return .silent
  }

  private mutating func beganParts(
    _ attempt: Int, _ upload: MultipartUpload, now: Timestamp, steady: Timestamp
  ) -> Transition? {
    guard step == .upload, attempt == self.attempt else { return nil }
    switch state {
    case .active:
      multipart = upload
      return .silent
    case .cancelled, .discarded:
      // a cancel was quicker than the storage's answer
      changed(now)
      multipart = upload
      return Transition(event: nil, cleanup: owe(.look, mayStillLand: mayBeStored, steady))
    case .queued, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .registered, .skipped,
      .aborted:
      return nil  // the attempt has ended already
    }
  }

  private mutating func due(_ now: Timestamp) -> Transition? {
    guard state.movesByItself, state != .queued else { return nil }
    enqueue(now)
    return .silent
  }

  /// Asks about a job that would go on by itself. An attempt in flight finds out by itself, and an open question stays.
  private mutating func mustAsk(_ failure: Failure, now: Timestamp, steady: Timestamp) -> Transition? {
    state.movesByItself ? asked(about: failure, now: now, steady: steady) : nil
  }

  private mutating func asked(about failure: Failure, now: Timestamp, steady: Timestamp) -> Transition {
    let kind = act(on: .ask, after: failure, now: now, steady: steady)
    return Transition(event: kind.map { JobEvent(at: now, kind: $0, step: step, job: self) })
  }

  /// Takes in the sidecar that the job asks about. If a reason to ask is left, the job asks again.
  private mutating func joined(
    _ ticket: Ticket, asks failure: Failure?, by: Caller, _ now: Timestamp, _ steady: Timestamp
  ) -> Transition? {
    guard awaitsSidecar, let sidecar = ticket.parcel.sidecar else { return nil }
    self.ticket = ticket
    if let failure { return asked(about: failure, now: now, steady: steady) }
    self.failure = nil
    enqueue(now)
    let name = sidecar.pattern.sidecar(of: ticket.name).shown
    return Transition(
      event: JobEvent(
        at: now, kind: .confirmed, step: step, job: self, by: by,
        reason: .sidecarJoined(name: name, document: ticket.name.shown)))
  }

  private mutating func disposed(_ now: Timestamp) -> Transition? {
    guard state.phase == .done, disposedAt == nil else { return nil }
    changed(now)
    disposedAt = now
    return .silent
  }

  private mutating func finished(
    _ number: Int, with result: AttemptResult, now: Timestamp, steady: Timestamp
  ) -> Transition? {
    guard state == .active, number == attempt else { return nil }  // the operator was quicker than the answer
    let step = self.step
    let attempt = ended(result, now)
    let kind: JobEvent.Kind?
    var cleanup: CleanupChange?
    switch result {
    case .uploaded(let link):
      stored = link
      cleanup = leaveOtherUploads(steady)
      toNextStep(now)
      kind = .uploaded
    case .registered(let receipt):
      assert(link != nil, "registered without a link")
      registration = receipt
      failure = nil
      end(.registered, now)
      kind = .registered
    case .recognized(let earlier):
      recognized = earlier
      failure = nil
      // An object or parts from earlier attempts have other bytes (of another card), or are duplicates.
      cleanup = leaveUnused(steady)
      if link?.receipt != nil, cleanup == nil { remote = .objectLeft }
      end(.skipped, now)
      kind = .skipped
    case .failed(let failure, let verdict):
      if step == .upload, failure.mayHaveActed { mayBeStored = true }
      if failure.hasProgressed { delaysSpent = 0 }
      kind = act(on: verdict, after: failure, now: now, steady: steady)
    case .changed(let failure, let verdict, let identity):
      // The person's answer was about another file of the same name, not about these bytes.
      if ticket.parcel == .inPlace, !identity.mayHoldBytes(of: self.identity) { sendsDuplicate = false }
      self.identity = identity
      objectMayBeStale = true
      kind = act(on: verdict, after: failure, now: now, steady: steady)
    case .cut:
      if step == .upload { mayBeStored = true }
      enqueue(now)
      kind = nil
    case .unanswered(let symptom):
      tries[step] -= 1
      switch failure?.kind {
      case .network where symptom.kind == .network: enter(.awaitingNetwork, now)
      case .credentials where symptom.kind == .network: enter(.awaitingCredentials, now)
      default: enqueue(now)
      }
      return .silent
    }
    return Transition(
      event: kind.map { JobEvent(at: now, kind: $0, step: step, job: self, took: attempt.took) }, attempt: attempt,
      cleanup: cleanup)
  }

  /// Moves the job to the state that a verdict on its failure asks for.
  /// - Returns: the kind of event; nil if another job's question covers it.
  private mutating func act(
    on verdict: Verdict, after failure: Failure, now: Timestamp, steady: Timestamp
  ) -> JobEvent.Kind? {
    self.failure = failure
    switch verdict {
    case .abort:
      end(.aborted, now)
      return .aborted
    case .retry(let pause):
      enter(.deferred, now)
      delaysSpent += 1
      nextAttemptAt = steady + pause
      return .deferred
    case .wait(let pause):
      enter(.deferred, now)
      nextAttemptAt = steady + pause
      return .deferred
    case .ask:
      enter(.awaitingConfirmation, now)
      question = Question(failure, at: step, of: ticket.name, askedAt: now)
      return .question
    case .requeue:
      enqueue(now)
      return nil
    case .awaitCredentials:
      enter(.awaitingCredentials, now)
      return .deferred
    case .awaitNetwork:
      enter(.awaitingNetwork, now)
      return .deferred
    }
  }

  /// Moves on to step 2, with a new schedule, because the link is recorded.
  mutating func toNextStep(_ now: Timestamp) {
    assert(stored != nil, "step 2 without a link")
    step = .register
    failure = nil
    finishedAt = nil
    delaysSpent = 0
    enqueue(now)
  }

  mutating func enqueue(_ now: Timestamp) { enter(.queued, now) }

  mutating func end(_ state: JobState, _ now: Timestamp) {
    enter(state, now)
    finishedAt = now
  }

  private mutating func enter(_ state: JobState, _ now: Timestamp) {
    changed(now)
    self.state = state
    question = nil
    nextAttemptAt = nil
    attemptStartedAt = nil
  }

  mutating func changed(_ now: Timestamp) {
    revision +|= 1
    updatedAt = now
  }

  /// Returns the attempt in flight as it ends with a result.
  func ended(_ result: AttemptResult, _ now: Timestamp) -> Attempt {
    let (outcome, failure): (Attempt.Outcome, Failure?) =
      switch result {
      case .uploaded, .registered, .recognized: (.succeeded, nil)
      case .failed(let failure, _), .changed(let failure, _, _): (.failed, failure)
      case .cut, .unanswered: (.cut, nil)
      }
    return Attempt(
      step: step, number: attempt, startedAt: attemptStartedAt ?? now, endedAt: now, outcome: outcome, failure: failure)
  }
}
