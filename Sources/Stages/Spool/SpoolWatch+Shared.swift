import Jobs
import Linux

/// The state of this daemon's hold on a shared spool.
struct LockState {
  /// The host that was last reported as the holder, so that each is reported once.
  var told: LockHolder?
  /// The time of the next check of the hold; nil while the spool is not held, or not shared.
  var nextLook: ContinuousClock.Instant?
  /// The holder that is still to be reported.
  var news: LockHolder?
  /// The last tenure that the ledger records as complete.
  var completed: String?
  /// The time of the next attempt to hand over the claimed files of a spool that is back, and the number of failed attempts.
  var nextTry: ContinuousClock.Instant
  var failedTries = 0

  /// The state of a hold on a spool that is not held.
  init(now: ContinuousClock.Instant) { nextTry = now }
}

/// A shared spool: this daemon holds it, or waits for it.
extension SpoolWatch {
  /// The time between two attempts to take a spool that another host holds, and between two checks of a hold that is not
  /// otherwise used.
  static let standByInterval = Duration.seconds(5)

  /// Tries to open a spool that is lost or was not opened yet, if the next attempt is due; returns true if the spool is held.
  ///
  /// It does not wait for room: the claimed files there are handed over, however many they are.
  func hasSpool() async throws -> Bool {
    if spool.hasLostLock { letGoOfLock() }
    if spool.present == nil, nextScan <= now {
      if spool.isShared { lock.completed = try await intake.completedTenure() }
      _ = comeBack()
    }
    if let holder = lock.news {
      lock.news = nil
      try await intake.standBy(for: holder)
    }
    if mustSeekStrays { try await seekStrays() }
    arm()
    return spool.present != nil
  }

  /// Records that another host holds the spool, and plans the next attempt.
  func standBy() {
    nextScan = now + Self.standByInterval
    lock.nextLook = nil
    // Problems of the spool are reported by the host that holds it.
    problems.forget()
    guard let holder = LockedSpool.holder(options) else { return }
    spool.setStatus { $0.holder = holder }
    // Between taking the lock and writing its name, the new holder is still unknown: the file names the old one, which may be
    // this daemon.
    guard let daemon = spool.daemon, !holder.hasLedger(of: daemon), holder != lock.told else { return }
    lock.told = holder
    lock.news = holder
  }

  /// Makes a loss of the hold known to the intake, and lets it wake the thread.
  func hearOfLoss() {
    guard let tenure = spool.present?.tenure else { return }
    lock.nextLook = now + Self.standByInterval
    tenure.onLoss { [intake, thread] loss in
      intake.lost(loss)
      thread.wake()
    }
  }

  /// Checks the hold from time to time, even if nothing else uses the spool.
  func lookAtLock() {
    guard let next = lock.nextLook, next <= now else { return }
    lock.nextLook = now + Self.standByInterval
    _ = isLockConfirmed()
  }

  /// Returns true if the daemon still holds the spool. Otherwise the loss has been reported.
  func isLockConfirmed() -> Bool {
    do throws(LostLock) {
      try spool.confirmLock()
      return true
    } catch {
      return false
    }
  }

  private func letGoOfLock() {
    letGo()
    lock = LockState(now: now)
    // If no other host takes the spool, this one takes it again at once.
    nextScan = now
  }

  /// Hands over the claimed files of a spool that this daemon has begun to hold. If another host held it last, a short wait comes
  /// first, in which that host, if it is alive, notices its loss.
  ///
  /// Either all files are handed over, or it starts again from the beginning. The jobs of the spool are on hold meanwhile.
  ///
  /// - Returns: false if the hold was lost.
  func handOverWhatIsShared(_ held: LockedSpool, _ tenure: Tenure) async throws -> Bool {
    try await machine.sleep(until: tenure.mayReadAt)
    guard isLockConfirmed() else { return false }
    let isPatient = self.isPatient
    let listing = try ClaimListing(held, marker: options.group) { _ in isPatient }
    var setAside: [SetAside] = []
    try await handOver(listing) {
      setAside += try await self.intake.takeOver($0, from: tenure.previous, isPatient: isPatient)
    }
    guard spool.present != nil else { return false }
    // It is not known whether this ledger's job for the file is still valid.
    if let first = listing.setAside.first { throw first.error }
    try await intake.tookOverAll(from: tenure.previous, mover: tenure.mover, tenure: tenure.id)
    lock.told = nil
    strays.endLook(setAside, now: now)
    reportSetAside(setAside)
    return true
  }

  /// False after so many failed attempts to hand over that one unreadable file must not block the others any more.
  var isPatient: Bool { lock.failedTries < Strays.patientTries }

  /// Records that an attempt to hand over the claimed files has failed, and plans the next one.
  func retryLater(_ error: FileError) {
    // If the hold is lost, everything begins anew anyway.
    guard spool.present != nil else { return }
    lock.failedTries += 1
    lock.nextTry = now + (lock.failedTries < Strays.quickTries ? Strays.quickInterval : Strays.slowInterval)
    reportNotTakenOver(error)
  }

  func reportNotTakenOver(_ error: FileError) {
    guard spool.present != nil else { return }
    let remedy = LockedSpool.refused(options, error).remedy
    problems.report(
      SpoolProblem(
        options, .takeOver, "what is claimed in it is not taken over yet: \(error.words)",
        remedy: "it is tried again by itself; \(remedy)", errno: error.errno))
  }

  /// Passes the claims to the body, in batches.
  ///
  /// - Throws: `FileError` if they cannot be read, and the errors of the body.
  func handOver(_ listing: ClaimListing, _ body: ([Claim]) async throws -> Void) async throws {
    // The record of a group may have a body of 32 MiB, so few of them are in memory at a time.
    let most = options.group == nil ? Self.batch : 4
    while spool.present != nil {
      var batch: [Claim] = []
      while batch.count < most, let claim = try listing.next() { batch.append(claim) }
      if !batch.isEmpty { try await body(batch) }
      if batch.count < most { return }
    }
  }
}
