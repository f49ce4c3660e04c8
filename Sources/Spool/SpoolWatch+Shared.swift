import LinuxFiles
import Threads

/// The state of the hold on a shared spool.
struct HoldState {
  /// The host that was told to hold it, so that each is told once.
  var told: SpoolHolder?
  /// The next look at the hold; nil while the spool is not held, or not shared.
  var nextLook: ContinuousClock.Instant?
  /// The next search for claimed files that no ledger has.
  var nextStrays = ContinuousClock.now
  var mustSeekStrays = false
  /// The holder whose name is to be told.
  var news: SpoolHolder?
}

/// A shared spool: it is held, or waited for.
extension SpoolWatch {
  /// The time between two attempts to take a spool that another host holds, and between two looks at a hold that nothing uses.
  static let standByInterval = Duration.seconds(5)

  /// Tries to take a shared spool if it is time to; returns true if the spool is not shared or held.
  ///
  /// It does not ask for room: the files of a host that is gone are taken over however many there are.
  func holdsSpool() async throws -> Bool {
    guard spool.isShared else { return true }
    if spool.hasLostHold { letGoOfHold() }
    if spool.present == nil, nextScan <= .now { _ = comeBack() }
    if let holder = hold.news {
      hold.news = nil
      try await intake.standsBy(holder)
    }
    if hold.mustSeekStrays, spool.present != nil, !isBack { try await handOverStrays() }
    arm()
    return spool.present != nil
  }

  /// Notes that another host holds the spool, and when to try again.
  func standBy() {
    nextScan = .now + Self.standByInterval
    hold.nextLook = nil
    guard let holder = HeldSpool.holder(options) else { return }
    spool.setStatus { $0.holder = holder }
    // Between the lock and the name of its new holder the old one stands there, and that may be this daemon.
    guard let daemon = options.daemon, !holder.hasLedger(of: daemon), holder != hold.told else { return }
    hold.told = holder
    hold.news = holder
  }

  /// Has the thread woken and everybody told if the hold is lost.
  func hearOfLoss() {
    guard let tenure = spool.present?.tenure else { return }
    hold.nextLook = .now + Self.standByInterval
    hold.nextStrays = .now + options.rescan
    tenure.onLoss { [intake, thread] loss in
      intake.lost(loss)
      thread.wake()
    }
  }

  /// Looks at the hold now and then, even if nothing is done in the spool.
  func lookAtHold() {
    guard let next = hold.nextLook, next <= .now else { return }
    hold.nextLook = .now + Self.standByInterval
    if hold.nextStrays <= .now {
      hold.nextStrays = .now + options.rescan
      hold.mustSeekStrays = true
    }
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
    hold = HoldState()
    // At once: if nobody else wants it, it is taken again.
    nextScan = .now
  }

  /// Hands over what is claimed in a spool that is held from now on. After another host, a moment passes first in which that
  /// host, if it lives, finds out.
  func handOverWhatIsShared(_ held: HeldSpool, _ tenure: Tenure) async throws {
    if tenure.previous != nil { try await Task.sleep(for: Tenure.patience) }
    guard isHoldConfirmed() else { return }
    try await handOver(held) { try await self.intake.tookOver($0, tenure.previous) }
    guard spool.present != nil else { return }
    hold.told = nil
    try await intake.holds(tenure.previous)
  }

  private func handOverStrays() async throws {
    hold.mustSeekStrays = false
    guard let held = spool.present else { return }
    try await handOver(held) { try await self.intake.strays($0) }
  }

  private func handOver(_ held: HeldSpool, _ body: ([Claim]) async throws -> Void) async throws {
    let listing: ClaimListing
    do throws(FileError) {
      listing = try ClaimListing(held, marker: options.group)
    } catch {
      return reportScan(error)
    }
    while spool.present != nil {
      let batch = nextBatch(listing)
      if !batch.isEmpty { try await body(batch) }
      if batch.count < Self.batch { return }
    }
  }
}
