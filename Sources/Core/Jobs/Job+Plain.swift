extension Job {
  /// True if ticket, link, receipt and disposal alone tell the job's present state: each step succeeded at its first try, nothing
  /// went wrong, and nobody gave a command. The ledger then needs no row of what changes.
  ///
  /// The revision grows with every change, so a job that left this way once never comes back to it.
  var followsFromFacts: Bool {
    guard failure == nil, question == nil, nextAttemptAt == nil, schedule == RetrySchedule(), !mayBeStored,
      !objectMayBeStale, remote == nil, release == nil
    else { return false }
    return switch (step, state) {
    case (.upload, .queued): revision == 1 && tries == Tries() && stored == nil
    case (.upload, .active): revision == 2 && tries == Tries(upload: 1) && stored == nil
    case (.register, .queued): revision == 3 && tries == Tries(upload: 1) && stored != nil
    case (.register, .active): revision == 4 && tries == Tries(upload: 1, register: 1) && stored != nil
    case (.register, .registered):
      revision == (disposedAt == nil ? 5 : 6) && tries == Tries(upload: 1, register: 1) && registration != nil
    case (_, .deferred), (_, .awaitingConfirmation), (_, .awaitingCredentials), (_, .awaitingNetwork), (_, .aborted),
      (_, .cancelled), (_, .discarded), (_, .moved), (.upload, .registered):
      false
    }
  }

  /// Makes a new job the one that its facts tell.
  ///
  /// - Parameters:
  ///   - uploaded: the link, and the time at which it was there; nil if it is not yet there.
  ///   - registered: the receipt, and the time at which it was there.
  ///   - disposedAt: the time at which the file was disposed of.
  public mutating func follow(
    uploaded: (link: StoredLink, at: Timestamp)?, registered: (receipt: RegistrationReceipt, at: Timestamp)?,
    disposedAt: Timestamp?
  ) {
    guard let uploaded else { return }
    stored = uploaded.link
    tries.upload = 1
    step = .register
    revision = 3
    updatedAt = uploaded.at
    guard let registered else { return }
    registration = registered.receipt
    tries.register = 1
    state = .registered
    revision = 5
    updatedAt = registered.at
    finishedAt = registered.at
    guard let disposedAt else { return }
    self.disposedAt = disposedAt
    revision = 6
    updatedAt = disposedAt
  }
}
