import Jobs
import Linux

/// The state of the hold on a shared spool.
struct HoldState {
  /// The host that was told to hold it, so that each is told once.
  var told: SpoolHolder?
  /// The next look at the hold; nil while the spool is not held, or not shared.
  var nextLook: ContinuousClock.Instant?
  /// The holder whose name is to be told.
  var news: SpoolHolder?
  /// The last tenure that is complete in the ledger.
  var completed: String?
  /// The next try to hand over what is claimed in a spool that is back, and the number of tries that failed.
  var nextTry: ContinuousClock.Instant
  var failedTries = 0

  /// The state of a spool that is not held.
  init(now: ContinuousClock.Instant) { nextTry = now }
}

/// A shared spool: it is held, or waited for.
extension SpoolWatch {
  /// The time between two attempts to take a spool that another host holds, and between two looks at a hold that nothing uses.
  static let standByInterval = Duration.seconds(5)

  /// Tries to open a spool that is lost, or not opened yet, if it is time to; returns true if it is held.
  ///
  /// It does not ask for room: what is claimed there is handed over however much that is.
  func holdsSpool() async throws -> Bool {
    if spool.hasLostHold { letGoOfHold() }
    if spool.present == nil, nextScan <= now {
      if spool.isShared { hold.completed = try await intake.completedTenure() }
      _ = comeBack()
    }
    if let holder = hold.news {
      hold.news = nil
      try await intake.standBy(for: holder)
    }
    if mustSeekStrays { try await seekStrays() }
    arm()
    return spool.present != nil
  }

  /// Notes that another host holds the spool, and when to try again.
  func standBy() {
    nextScan = now + Self.standByInterval
    hold.nextLook = nil
    // They are for the host that holds it.
    problems.forget()
    guard let holder = HeldSpool.holder(options) else { return }
    spool.setStatus { $0.holder = holder }
    // Between the lock and the name of its new holder the old one stands there, and that may be this daemon.
    guard let daemon = spool.daemon, !holder.hasLedger(of: daemon), holder != hold.told else { return }
    hold.told = holder
    hold.news = holder
  }

  /// Has the thread woken and everybody told if the hold is lost.
  func hearOfLoss() {
    guard let tenure = spool.present?.tenure else { return }
    hold.nextLook = now + Self.standByInterval
    tenure.onLoss { [intake, thread] loss in
      intake.lost(loss)
      thread.wake()
    }
  }

  /// Looks at the hold now and then, even if nothing is done in the spool.
  func lookAtHold() {
    guard let next = hold.nextLook, next <= now else { return }
    hold.nextLook = now + Self.standByInterval
    _ = isHoldConfirmed()
  }

  /// Returns true if the daemon still holds the spool. Whoever must hear of a loss has heard of it then.
  func isHoldConfirmed() -> Bool {
    do throws(LostHold) {
      try spool.confirmHold()
      return true
    } catch {
      return false
    }
  }

  private func letGoOfHold() {
    letGo()
    hold = HoldState(now: now)
    // At once: if nobody else wants it, it is taken again.
    nextScan = now
  }

  /// Hands over what is claimed in a spool that is held from now on. After another host, a moment passes first in which that
  /// host, if it lives, finds out.
  ///
  /// Either all of it is handed over, or it is done again from the beginning: the jobs of the spool are on hold meanwhile.
  ///
  /// - Returns: false if the hold was lost.
  func handOverWhatIsShared(_ held: HeldSpool, _ tenure: Tenure) async throws -> Bool {
    try await machine.sleep(until: tenure.mayReadAt)
    guard isHoldConfirmed() else { return false }
    let isPatient = self.isPatient
    let listing = try ClaimListing(held, marker: options.group) { _ in isPatient }
    var setAside: [SetAside] = []
    try await handOver(listing) {
      setAside += try await self.intake.takeOver($0, from: tenure.previous, isPatient: isPatient)
    }
    guard spool.present != nil else { return false }
    // Nobody knows whether this host's job of it counts.
    if let first = listing.setAside.first { throw first.error }
    try await intake.tookOverAll(from: tenure.previous, mover: tenure.mover, tenure: tenure.id)
    hold.told = nil
    strays.endLook(setAside, now: now)
    reportSetAside(setAside)
    return true
  }

  /// False once what is claimed could not be handed over so often that one file which cannot be read does not hold up the others.
  var isPatient: Bool { hold.failedTries < Strays.patientTries }

  /// Notes that a try to hand over what is claimed has failed, and when to try again.
  func retryLater(_ error: FileError) {
    // With the hold, everything begins anew.
    guard spool.present != nil else { return }
    hold.failedTries += 1
    hold.nextTry = now + (hold.failedTries < Strays.quickTries ? Strays.quickInterval : Strays.slowInterval)
    reportNotTakenOver(error)
  }

  func reportNotTakenOver(_ error: FileError) {
    guard spool.present != nil else { return }
    let remedy = HeldSpool.refused(options, error).remedy
    problems.report(
      SpoolProblem(
        options, .takeOver, "what is claimed in it is not taken over yet: \(error.words)",
        remedy: "it is tried again by itself; \(remedy)", errno: error.errno))
  }

  /// Passes what is claimed to the body, in batches.
  ///
  /// - Throws: `FileError` if it cannot be read, and what the body throws.
  func handOver(_ listing: ClaimListing, _ body: ([Claim]) async throws -> Void) async throws {
    // The bodies of groups that stand beside them may have 32 MiB each.
    let most = options.group == nil ? Self.batch : 4
    while spool.present != nil {
      var batch: [Claim] = []
      while batch.count < most, let claim = try listing.next() { batch.append(claim) }
      if !batch.isEmpty { try await body(batch) }
      if batch.count < most { return }
    }
  }
}
