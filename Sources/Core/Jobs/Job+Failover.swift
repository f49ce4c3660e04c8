import Messages

extension Job {
  /// Ends the job here, because another host has its file and goes on with it.
  mutating func movedAway(to host: String, _ now: Timestamp) -> Transition? {
    switch state {
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .aborted,
      .cancelled:
      moveAway(to: host, now)
    case .registered, .skipped, .discarded, .moved:
      nil  // the job is final on this host
    }
  }

  private mutating func moveAway(to host: String, _ now: Timestamp) -> Transition {
    let attempt = state == .active ? ended(.cut, now) : nil
    let cleanup: CleanupChange? = remote == .pending ? .drop : nil
    end(.moved, now)
    disposedAt = now
    release = nil
    multipart = nil
    remote = nil
    return Transition(
      event: JobEvent(at: now, kind: .moved, step: step, job: self, reason: .text(host)), attempt: attempt,
      cleanup: cleanup)
  }

  /// Sets the job to what the records beside its file say, whatever this ledger knew of it. The counts of its tries are kept.
  ///
  /// If there is no link, the upload looks first for an object that another host may have stored.
  mutating func tookOver(_ inheritance: Inheritance, _ now: Timestamp, _ steady: Timestamp) -> Transition? {
    switch state {
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .aborted,
      .cancelled,
      .moved:
      takeOver(inheritance, now, steady)
    case .registered, .skipped, .discarded:
      nil  // the file is disposed of
    }
  }

  private mutating func takeOver(_ inheritance: Inheritance, _ now: Timestamp, _ steady: Timestamp) -> Transition {
    let isNew = state == .queued && revision == 1
    let attempt = state == .active ? ended(.cut, now) : nil
    var cleanup: CleanupChange? = remote == .pending ? .drop : nil
    identity = inheritance.identity
    disposedAt = nil
    finishedAt = nil
    failure = nil
    release = nil
    multipart = nil
    remote = nil
    schedule = RetrySchedule()
    if let stored = inheritance.stored {
      self.stored = stored
      step = .register
      mayBeStored = false
      objectMayBeStale = false
    } else {
      step = .upload
      mayBeStored = true
    }
    enqueue(now)
    var event: JobEvent?
    if !isNew {
      event = JobEvent(
        at: now, kind: .admitted, step: step, job: self, reason: inheritance.from.map { .takenOverFrom(host: $0) })
    }
    if let stop = inheritance.stop {
      let ended = end(by: stop, now, steady)
      event = ended.event
      cleanup = ended.cleanup ?? cleanup
    }
    return Transition(event: event, attempt: attempt, cleanup: cleanup)
  }

  private mutating func end(by stop: Inheritance.Stop, _ now: Timestamp, _ steady: Timestamp) -> Transition {
    let step = self.step
    let by = stop.by ?? Caller(uid: 0, user: "unknown")
    switch stop.kind {
    case .aborted:
      failure = stop.failure
      end(.aborted, now)
      return Transition(event: JobEvent(at: now, kind: .aborted, step: step, job: self))
    case .cancelled:
      return cancel(by: by, reason: stop.reason, remove: stop.remove, now: now, steady: steady)
    case .discarded:
      let owed =
        stop.remove
        ? cancel(by: by, reason: stop.reason, remove: true, now: now, steady: steady) : .silent
      end(.discarded, now)
      return Transition(
        event: JobEvent(
          at: now, kind: .discarded, step: step, job: self, by: by, reason: stop.reason.map(Message.text)),
        cleanup: owed.cleanup)
    }
  }
}
