import Messages

extension Job {
  /// Stops the job and returns what must be cleaned up at the storage.
  mutating func cancel(
    by: Caller, reason: String?, remove: Bool, now: Timestamp, steady: Timestamp
  ) -> Transition {
    let step = self.step
    let wasInFlight = state == .active
    let attempt = wasInFlight ? ended(.cut, now) : nil
    if wasInFlight, step == .upload { mayBeStored = true }
    let owed = leave(remove ? .remove : .look, steady)
    end(.cancelled, now)
    let event = JobEvent(
      at: now, kind: .cancelled, step: step, job: self, by: by, reason: reason.map(Message.text))
    return Transition(event: event, attempt: attempt, cleanup: owed)
  }

  /// Returns the cleanup for a job that ends without a registration, and sets `remote` to match: everything at the storage is removed
  /// or reported.
  ///
  /// A link that a person named stays, with its object, which is not ours. An object that an earlier attempt may have stored under our
  /// key is ours.
  mutating func leave(_ aim: Cleanup.Aim, _ steady: Timestamp) -> CleanupChange? {
    var version: String?
    var mayStillLand = mayBeStored
    if let receipt = link?.receipt {
      guard aim == .remove else {
        remote = .objectLeft
        return nil
      }
      // A later retry must upload again. The link that the backend may have received stays in `stored`.
      version = receipt.version
      step = .upload
      delaysSpent = 0
      mayBeStored = true
      // The answer proves one request. An earlier request without an answer may still arrive.
      mayStillLand = mayStillLand || tries.upload > 1
    } else if !mayBeStored, !objectMayBeStale, multipart == nil, remote != .pending {
      remote = tries.upload > 0 ? .clean : nil
      return nil
    }
    return owe(aim, version: version, mayStillLand: mayStillLand, steady)
  }

  /// Returns a cleanup of what earlier attempts may have left, because the job goes on with a link that a person named, or without an
  /// object; nil if there is nothing. The cleanup only looks for an object and reports it: nobody has asked to remove it, and a
  /// registration that a lost ledger has forgotten may name it.
  mutating func leaveUnused(_ steady: Timestamp) -> CleanupChange? {
    guard mayBeStored || objectMayBeStale || multipart != nil else { return nil }
    defer { (mayBeStored, objectMayBeStale) = (false, false) }
    return owe(.look, mayStillLand: mayBeStored, steady)
  }

  /// Returns a cleanup of other uploads in parts, which earlier attempts began and whose answers were lost; nil if there are none. A
  /// changed file may have been larger before.
  mutating func leaveOtherUploads(_ steady: Timestamp) -> CleanupChange? {
    defer { (mayBeStored, multipart) = (false, nil) }
    guard mayBeStored, multipart != nil || objectMayBeStale || ticket.parcel.group != nil else { return nil }
    return owe(.keep, mayStillLand: true, steady)
  }

  /// Returns a cleanup for the storage. The upload in parts passes from the job to the cleanup.
  mutating func owe(
    _ aim: Cleanup.Aim, version: String? = nil, mayStillLand: Bool, _ steady: Timestamp
  ) -> CleanupChange {
    remote = .pending
    defer { multipart = nil }
    return .owe(
      Cleanup(
        job: number, id: ticket.id, spool: ticket.spool, storage: ticket.storage, bucket: ticket.bucket,
        key: ticket.key, aim: aim, version: version, uploadID: multipart?.id,
        uploadUnheardAt: mayStillLand ? steady : nil, nextAt: steady))
  }

  /// Applies the result of a cleanup, in any state. A job that was started again in the meantime goes on, and its `remote` is
  /// cleared.
  mutating func cleaned(_ remote: Remote, _ failure: Failure?, _ now: Timestamp) -> Transition? {
    guard self.remote == .pending else { return nil }
    changed(now)
    let isStopped = state == .cancelled || state == .discarded
    switch remote {
    case .clean:
      // A restarted job did not wait until no late upload can take effect (`Cleanup.hurry`). If the ledger forgot the job, an object was
      // there, and the backend may know its link.
      if isStopped { (mayBeStored, objectMayBeStale) = (false, objectMayBeStale && mayBeForgotten) }
    case .objectLeft, .pending:
      mayBeStored = true
    }
    self.remote = isStopped ? remote : nil
    // The object is in use: only other uploads were looked for.
    if !isStopped, link?.receipt != nil { return .silent }
    return Transition(
      event: JobEvent(
        at: now, kind: remote == .clean ? .cleaned : .objectLeft, step: .upload, job: self, reason: failure?.message))
  }
}
