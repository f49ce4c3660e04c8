/// The commands of people: a method for each, and for the end of a release.
extension Job {
  mutating func carriedOut(
    _ command: JobCommand, by: Caller, link: StoredLink?, now: Timestamp, steady: Timestamp
  ) throws(Refusal) -> Transition {
    switch command {
    case .confirm(let named):
      // Without its stored form a link would be lost, and the file uploaded instead.
      guard named == link?.link else { throw refused(.confirm) }
      return try confirm(by: by, link: link, now: now, steady: steady)
    case .retry: return try retry(by: by, now)
    case .cancel(let reason, let remove):
      return try cancelled(by: by, reason: reason, remove: remove, now: now, steady: steady)
    case .discard: return try discard(by: by, now, steady)
    case .release(let directory): return try release(by: by, to: directory, now)
    }
  }

  private mutating func confirm(
    by: Caller, link: StoredLink?, now: Timestamp, steady: Timestamp
  ) throws(Refusal) -> Transition {
    switch state {
    case .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork:
      var cleanup: CleanupChange?
      let step = self.step
      if let link {
        guard step == .upload else { throw refused(.confirm) }
        cleanup = leaveUnused(steady)
        stored = link
        toNextStep(now)
      } else {
        startAnew(now)
      }
      return Transition(event: JobEvent(at: now, kind: .confirmed, step: step, job: self, by: by), cleanup: cleanup)
    case .queued, .active, .registered, .skipped, .aborted, .cancelled, .discarded:
      throw refused(.confirm)
    }
  }

  private mutating func retry(by: Caller, _ now: Timestamp) throws(Refusal) -> Transition {
    switch state {
    case .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .aborted, .cancelled:
      guard release == nil else { throw refused(.retry) }
      let isTold = remote == .objectLeft
      startAnew(now)
      return Transition(
        event: JobEvent(at: now, kind: .retried, step: step, job: self, by: by),
        cleanup: waitsForCleanup ? .hurry : isTold && step == .upload ? .drop : nil)
    case .queued, .active, .registered, .skipped, .discarded:
      throw refused(.retry)
    }
  }

  private mutating func cancelled(
    by: Caller, reason: String?, remove: Bool, now: Timestamp, steady: Timestamp
  ) throws(Refusal) -> Transition {
    switch state {
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork:
      return cancel(by: by, reason: reason, remove: remove, now: now, steady: steady)
    case .registered, .skipped, .aborted, .cancelled, .discarded:
      throw refused(.cancel)
    }
  }

  private mutating func discard(by: Caller, _ now: Timestamp, _ steady: Timestamp) throws(Refusal) -> Transition {
    switch state {
    case .aborted, .cancelled:
      guard release == nil else { throw refused(.discard) }
      return endWithoutFile(.discarded, by: by, now, steady)
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .registered,
      .skipped, .discarded:
      throw refused(.discard)
    }
  }

  private mutating func release(by: Caller, to directory: String, _ now: Timestamp) throws(Refusal) -> Transition {
    switch state {
    case .aborted, .cancelled:
      guard release == nil else { throw refused(.release) }
      changed(now)
      release = Release(to: directory, by: by)
      return .silent
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .registered,
      .skipped, .discarded:
      throw refused(.release)
    }
  }

  mutating func released(_ now: Timestamp, _ steady: Timestamp) -> Transition? {
    switch state {
    case .aborted, .cancelled:
      release.map { endWithoutFile(.released, by: $0.by, now, steady) }
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .registered,
      .skipped, .discarded:
      nil  // only a release that is under way can end, and until then the job keeps its state
    }
  }

  mutating func releaseFailed(_ now: Timestamp) -> Transition? {
    switch state {
    case .aborted, .cancelled:
      guard release != nil else { return nil }
      changed(now)
      release = nil
      return .silent
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .registered,
      .skipped, .discarded:
      return nil
    }
  }

  /// Ends the job because its file leaves the spool; the job stays in the ledger, with its release if there was one.
  private mutating func endWithoutFile(
    _ kind: JobEvent.Kind, by: Caller, _ now: Timestamp, _ steady: Timestamp
  ) -> Transition {
    // After a cancel, the cleanup is already recorded or reported.
    let cleanup = state == .aborted ? leave(.look, steady) : nil
    end(.discarded, now)
    return Transition(event: JobEvent(at: now, kind: kind, step: step, job: self, by: by), cleanup: cleanup)
  }

  /// Queues the job for the same step again, with its retry schedule reset.
  private mutating func startAnew(_ now: Timestamp) {
    if failure?.asksAboutRepetition == true { sendsDuplicate = true }
    schedule = RetrySchedule()
    finishedAt = nil
    if remote != .pending { remote = nil }
    enqueue(now)
  }

  /// Returns the refusal of a command that does not fit the state.
  private func refused(_ command: JobCommand.Name) -> Refusal { Refusal(job: self, reason: .state(command)) }
}
