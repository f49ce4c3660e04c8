/// The commands of people: a method for each, and for the end of a release.
extension Job {
  mutating func carriedOut(
    _ command: JobCommand, by: Caller, link: StoredLink?, now: Timestamp, steady: Timestamp
  ) throws(Refusal) -> Transition {
    // While its file is on the way back, a job takes no other command.
    guard command.name.fits(state), release == nil else { throw refused(command) }
    switch command {
    case .confirm(let named):
      // Without its stored form a link would be lost, and the file uploaded instead.
      guard named == link?.link, link == nil || step == .upload else { throw refused(command) }
      return confirm(by: by, link: link, now: now, steady: steady)
    case .retry: return retry(by: by, now)
    case .cancel(let reason, let remove):
      return cancel(by: by, reason: reason, remove: remove, now: now, steady: steady)
    case .discard: return endWithoutFile(.discarded, by: by, now, steady)
    case .release(let directory):
      changed(now)
      release = Release(to: directory, by: by)
      return .silent
    }
  }

  private mutating func confirm(by: Caller, link: StoredLink?, now: Timestamp, steady: Timestamp) -> Transition {
    var cleanup: CleanupChange?
    let step = self.step
    if let link {
      cleanup = leaveUnused(steady)
      stored = link
      toNextStep(now)
    } else {
      startAnew(now)
    }
    return Transition(event: JobEvent(at: now, kind: .confirmed, step: step, job: self, by: by), cleanup: cleanup)
  }

  private mutating func retry(by: Caller, _ now: Timestamp) -> Transition {
    let isTold = remote == .objectLeft
    startAnew(now)
    return Transition(
      event: JobEvent(at: now, kind: .retried, step: step, job: self, by: by),
      cleanup: waitsForCleanup ? .hurry : isTold && step == .upload ? .drop : nil)
  }

  /// Ends a release. Only one that is under way can end, and until then the job keeps its state.
  mutating func released(_ now: Timestamp, _ steady: Timestamp) -> Transition? {
    guard state.phase == .stopped, let release else { return nil }
    return endWithoutFile(.released, by: release.by, now, steady)
  }

  mutating func releaseFailed(_ now: Timestamp) -> Transition? {
    guard state.phase == .stopped, release != nil else { return nil }
    changed(now)
    release = nil
    return .silent
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
    if failure?.code == Failure.lostListCode { sendsDuplicate = true }
    delaysSpent = 0
    finishedAt = nil
    if remote != .pending { remote = nil }
    enqueue(now)
  }

  private func refused(_ command: JobCommand) -> Refusal { Refusal(job: self, reason: .state(command.name)) }
}
