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
    let owed = owe(remove: remove, steady)
    end(.cancelled, now)
    let event = JobEvent(
      at: now, kind: .cancelled, step: step, job: self, by: by,
      reason: reason.map(Message.text))
    return Transition(event: event, attempt: attempt, cleanup: owed.map(CleanupChange.owe))
  }

  /// Returns the cleanup that must be done, if any, and sets `remote` to match.
  ///
  /// A link that a person named stays, and so does the object it leads to: that object is not ours. The same goes for the object of
  /// an earlier job with the same bytes. An object that an attempt
  /// before may have stored under our key is ours.
  private mutating func owe(remove: Bool, _ steady: Timestamp) -> Cleanup? {
    var version: String?
    var mayStillLand = mayBeStored
    if let receipt = link?.receipt, isOurs(receipt) {
      guard remove else {
        remote = .objectLeft
        return nil
      }
      // A later retry must upload again. The link that the backend may have received stays in `stored`.
      version = receipt.version
      step = .upload
      schedule = RetrySchedule()
      mayBeStored = true
      // The answer proves one request. An earlier one that was not answered may still arrive.
      mayStillLand = mayStillLand || tries.upload > 1
    } else if !mayBeStored, !objectMayBeStale, multipart == nil, remote != .pending {
      remote = tries.upload > 0 ? .clean : nil
      return nil
    }
    return cleanup(remove: remove, version: version, mayStillLand: mayStillLand, steady)
  }

  /// True if an object is this job's own, not that of an earlier one with the same bytes.
  func isOurs(_ receipt: UploadReceipt) -> Bool { receipt.bucket == ticket.bucket && receipt.key == ticket.key }

  /// Returns a cleanup that aborts an upload in parts, because no attempt will continue it; nil if there is none.
  ///
  /// - Parameter upload: an upload that was begun just now; without it, the one that the job has.
  mutating func owePartsAlone(_ upload: MultipartUpload? = nil, _ steady: Timestamp) -> CleanupChange? {
    if let upload { multipart = upload }
    guard multipart != nil else { return nil }
    return .owe(cleanup(remove: false, mayStillLand: mayBeStored, steady))
  }

  /// Returns a cleanup of what earlier attempts may have stored, because the job goes on with the object of another one, or without any;
  /// nil if there is nothing. It only finds out, and tells of an object that is left: nobody has asked to remove one, and after a loss of the
  /// ledger a registration that it has forgotten may name it.
  mutating func oweUnused(_ steady: Timestamp) -> CleanupChange? {
    guard mayBeStored || objectMayBeStale else { return owePartsAlone(nil, steady) }
    defer { (mayBeStored, objectMayBeStale) = (false, false) }
    return .owe(cleanup(remove: false, mayStillLand: mayBeStored, steady))
  }

  /// Returns a cleanup for the storage. The upload in parts passes from the job to the cleanup.
  private mutating func cleanup(
    remove: Bool, version: String? = nil, mayStillLand: Bool, _ steady: Timestamp
  ) -> Cleanup {
    remote = .pending
    defer { multipart = nil }
    return Cleanup(
      job: number, id: ticket.id, spool: ticket.spool, storage: ticket.storage, bucket: ticket.bucket, key: ticket.key,
      remove: remove, version: version, uploadID: multipart?.id,
      uploadLandsBy: mayStillLand ? steady + Cleanup.landing : nil, nextAt: steady)
  }

  /// Applies the result of a cleanup, in any state. A job that was started again in the meantime goes on, and its `remote` is
  /// cleared.
  mutating func cleaned(_ remote: Remote, _ failure: Failure?, _ now: Timestamp) -> Transition? {
    guard self.remote == .pending else { return nil }
    changed(now)
    let isStopped = state == .cancelled || state == .discarded
    switch remote {
    case .clean:
      // A job that was started again has not waited until no upload of it can land (`Cleanup.hurry`).
      // An object of a forgotten job was there, of which the backend may have been told.
      if isStopped { (mayBeStored, objectMayBeStale) = (false, objectMayBeStale && mayBeForgotten) }
    case .objectLeft, .pending:
      mayBeStored = true
    }
    self.remote = isStopped ? remote : nil
    // Nobody waits for the answer, and the refusal says nothing of an object that is not needed.
    if remote == .objectLeft, failure != nil, step == .register || state == .skipped, !isStopped { return .silent }
    return Transition(
      event: JobEvent(
        at: now, kind: remote == .clean ? .cleaned : .objectLeft, step: .upload, job: self, reason: failure?.message))
  }
}
