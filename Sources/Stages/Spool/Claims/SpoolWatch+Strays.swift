import Jobs
import Linux
import Messages

extension SpoolWatch {
  /// True if it is time to compare the names in `.waybill` with the ledger.
  var mustSeekStrays: Bool { strays.nextLook <= now && spool.present != nil && !isBack }

  /// Records a file that was claimed but could not be read, so that it has no job. It is tried again soon.
  func tryAgain(_ id: JobID, _ dropped: FileName, _ error: FileError) {
    strays.add(id, dropped, error, now: now)
    reportSetAside([SetAside(id, dropped, error)])
  }

  /// Creates jobs for claimed files that have none.
  func seekStrays() async throws {
    guard let held = spool.present else { return }
    strays.beginLook(next: now + options.rescan)
    do {
      let ids = try await idsWithoutJob(held)
      var setAside: [SetAside] = []
      if !ids.isEmpty {
        let strays = self.strays
        let listing = try ClaimListing(held, marker: options.group, ids: ids) { strays.isPatient($0) }
        try await handOver(listing) { claims in
          try self.makeDurable(held, claims, nil)
          for claim in claims { self.begunPairs.forget(claim.dropped, claim.id) }
          try await self.intake.adopt(claims)
        }
        setAside += listing.setAside
      }
      guard spool.present === held else { return }
      strays.endLook(setAside, now: now)
      reportSetAside(setAside)
    } catch let error as FileError {
      strays.failedToLook(now: now)
      reportUnread(error)
    }
  }

  /// Returns the ids in `.waybill` that have no job in the ledger. Their files are read after this: a file that is disposed of at
  /// this moment has neither a job nor a name then.
  private func idsWithoutJob(_ held: LockedSpool) async throws -> Set<JobID> {
    let listing = try held.claims.listing()
    var found: Set<JobID> = []
    while spool.present === held, found.count < Strays.most {
      var batch: [JobID] = []
      while batch.count < Self.batch, let entry = try listing.next() {
        if let id = ClaimedPath.id(ofTop: entry.name) { batch.append(id) }
      }
      if batch.isEmpty { break }
      found.formUnion(try await intake.withoutJob(batch))
    }
    return found
  }

  /// Reports the files that are claimed and have no job. With an empty list, the problem is over.
  func reportSetAside(_ all: [SetAside]) {
    guard let first = all.first else { return problems.forget(.unread) }
    let (name, why) = (first.dropped.shown, first.error.message)
    let remedy = Message.seeBesideClaim(id: "\(first.id)", path: options.path)
    report(
      .unread,
      all.count == 1
        ? .claimUnreadable(name: name, why: why) : .claimUnreadableAnd(name: name, others: all.count - 1, why: why),
      remedy: first.error.remedy.map { .andRemedy(what: .text($0), remedy: remedy) } ?? remedy,
      errno: first.error.errno)
  }
}

/// The attempts to hand over the claimed files of a spool that is back.
struct HandOverTries {
  /// The time of the next attempt.
  var next: ContinuousClock.Instant
  /// The number of failed attempts.
  var failed = 0
}

/// A spool that is opened again, or for the first time after a failure: its claimed files are handed over before anything is claimed.
extension SpoolWatch {
  /// Tries to open a spool that is lost or was not opened yet, if the next attempt is due; returns true if it is there.
  ///
  /// It does not wait for room: the claimed files there are handed over, however many they are.
  func hasSpool() async throws -> Bool {
    if spool.present == nil, nextScan <= now { _ = comeBack() }
    if mustSeekStrays { try await seekStrays() }
    arm()
    return spool.present != nil
  }

  /// Hands over the claimed files of a spool that is opened again, or for the first time after a failure: some may be in no
  /// ledger. If they cannot be read, this is tried again.
  func handOverWhatIsBack() async throws {
    guard let held = spool.present else { return isBack = false }
    do {
      let isPatient = tries.failed < Strays.patientTries || spool.lock.mustReadAll
      let listing = try ClaimListing(held, marker: options.group) { _ in isPatient }
      try await handOver(listing) { try await self.intake.adopt($0) }
      guard spool.present != nil else { return isBack = false }
      if isPatient, let first = listing.setAside.first { throw first.error }
      strays.endLook(listing.setAside, now: now)
      try await intake.adoptedAll()
      (spool.lock.owesClaims, spool.lock.mustReadAll) = (false, false)
      reportSetAside(listing.setAside)
      isBack = false
      tries.failed = 0
    } catch let error as FileError {
      retryLater(error)
    }
  }

  /// Records that an attempt to hand over the claimed files has failed, and plans the next one.
  private func retryLater(_ error: FileError) {
    // If the directory has disappeared, everything begins anew anyway.
    guard spool.present != nil else { return }
    tries.failed += 1
    tries.next = now + (tries.failed < Strays.quickTries ? Strays.quickInterval : Strays.slowInterval)
    reportUnread(error)
  }

  func reportUnread(_ error: FileError) {
    guard spool.present != nil else { return }
    let advice = LockedSpool.refused(options, error).advice
    report(
      .unread, .claimsUnreadable(why: error.message),
      remedy: advice.map { .andRemedy(what: .triedAgainByItself, remedy: $0) }, errno: error.errno)
  }

  /// Passes the claims to the body, in batches.
  ///
  /// - Throws: `FileError` if they cannot be read, and the errors of the body.
  func handOver(_ listing: ClaimListing, _ body: ([Claim]) async throws -> Void) async throws {
    while spool.present != nil {
      var batch: [Claim] = []
      while batch.count < Self.batch, let claim = try listing.next() { batch.append(claim) }
      if !batch.isEmpty { try await body(batch) }
      if batch.count < Self.batch { return }
    }
  }
}
