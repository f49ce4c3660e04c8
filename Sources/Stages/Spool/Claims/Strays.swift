public import Jobs
public import Linux
import Messages

/// A claimed file that has no job yet, because it cannot be read. The daemon tries again by itself.
public struct SetAside: Sendable {
  /// The id in its claimed name.
  public let id: JobID
  /// The name that it was dropped under, preceded by its path.
  public let dropped: FileName
  /// The error of the failed read.
  public let error: FileError
  var tries = 1
}

/// The claimed files that have no job yet: a call failed during the claim, or their spool was away. From time to time the names in
/// `.waybill` are compared with the ledger.
struct Strays {
  typealias Instant = ContinuousClock.Instant

  /// The time between the first attempts, and the number of these. Most errors pass at once.
  static let quickInterval = Duration.milliseconds(500)
  static let quickTries = 10
  /// The time between later attempts.
  static let slowInterval = Duration.seconds(5)
  /// The number of attempts after which a job asks about attributes or a sidecar that cannot be read.
  static let patientTries = 20
  /// The maximum number of files that get a job in one comparison; the next one continues.
  static let most = 4096

  var nextLook: Instant
  /// True if the spool was opened again, or for the first time after a failure. All its claimed files are handed over then, before anything
  /// is claimed: some may be in no ledger.
  private(set) var areAll = false
  /// The number of attempts in a row that failed as a whole.
  private var failed = 0
  private var unread: [JobID: SetAside] = [:]

  init(nextLook: Instant) { self.nextLook = nextLook }

  mutating func oweAll(now: Instant) { (areAll, nextLook, failed) = (true, now, 0) }

  mutating func add(_ file: SetAside, now: Instant) {
    if unread.count < Self.most { unread[file.id] = file }
    nextLook = min(nextLook, now + Self.quickInterval)
  }

  /// False if reading the file, or all of them, has failed so often that its job must ask.
  func isPatient(_ id: JobID) -> Bool { (areAll ? failed : unread[id]?.tries ?? 0) < Self.patientTries }

  /// The error that prevents a file of this name from being read; nil if there is none.
  func error(of dropped: FileName) -> FileError? { unread.values.first { $0.dropped == dropped }?.error }

  /// Ends an attempt, after which these files still cannot be read.
  mutating func endLook(_ setAside: [SetAside], now: Instant) {
    var still: [JobID: SetAside] = [:]
    for var file in setAside {
      file.tries += unread[file.id]?.tries ?? 0
      still[file.id] = file
    }
    (unread, areAll, failed) = (still, false, 0)
    guard let fewest = still.values.map(\.tries).min() else { return }
    nextLook = min(nextLook, now + (fewest < Self.quickTries ? Self.quickInterval : Self.slowInterval))
  }

  mutating func failedToLook(now: Instant) {
    failed += 1
    nextLook = min(nextLook, now + (areAll && failed < Self.quickTries ? Self.quickInterval : Self.slowInterval))
  }
}

extension SpoolWatch {
  /// True if it is time to hand over claimed files that have no job.
  var mustSeekStrays: Bool { strays.nextLook <= now && spool.present != nil }

  /// Records a file that was claimed but could not be read, so that it has no job. It is tried again soon.
  func tryAgain(_ id: JobID, _ dropped: FileName, _ error: FileError) {
    let file = SetAside(id: id, dropped: dropped, error: error)
    strays.add(file, now: now)
    reportSetAside([file])
  }

  /// Creates jobs for claimed files that have none. If they cannot be read, this is tried again.
  func seekStrays() async throws {
    guard let held = spool.present else { return }
    strays.nextLook = now + options.rescan
    let strays = self.strays
    let mustReadAll = strays.areAll && spool.lock.change(\.mustReadAll)
    let isPatient = { mustReadAll || strays.isPatient($0) }
    do {
      let ids = strays.areAll ? nil : try await idsWithoutJob(held)
      let listing = try ClaimListing(held, marker: options.group, ids: ids, isPatient: isPatient)
      if ids?.isEmpty != true { try await handOver(listing, held) }
      guard spool.present === held else { return }
      if strays.areAll {
        if let first = listing.setAside.first, isPatient(first.id) { throw first.error }
        try await intake.adoptedAll()
        spool.lock.change { ($0.owesClaims, $0.mustReadAll) = (false, false) }
      }
      self.strays.endLook(listing.setAside, now: now)
      reportSetAside(listing.setAside)
    } catch let error as FileError {
      // If the directory has disappeared, everything begins anew anyway.
      guard spool.present === held else { return }
      self.strays.failedToLook(now: now)
      let advice = LockedSpool.refused(options, error).advice
      report(
        .unread, .claimsUnreadable(why: error.message),
        remedy: advice.map { .andRemedy(what: .triedAgainByItself, remedy: $0) }, errno: error.errno)
    }
  }

  private func handOver(_ listing: ClaimListing, _ held: LockedSpool) async throws {
    while spool.present === held {
      var batch: [Claim] = []
      while batch.count < Self.batch, let claim = try listing.next() { batch.append(claim) }
      if batch.isEmpty { return }
      if !strays.areAll {
        try makeDurable(batch, held)
        for claim in batch where begunPairs[claim.dropped] == claim.id { begunPairs.forget(claim.dropped) }
      }
      try await intake.adopt(batch)
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
  private func reportSetAside(_ all: [SetAside]) {
    guard let first = all.first else { return problems.forget(.unread) }
    let (name, why) = (first.dropped.shown, first.error.message)
    let remedy = Message.seeBesideClaim(id: "\(first.id)", path: options.path)
    report(
      .unread,
      all.count == 1
        ? .claimUnreadable(name: name, why: why) : .claimUnreadableAnd(name: name, others: all.count - 1, why: why),
      remedy: first.error.remedy.map { .andRemedy(what: $0, remedy: remedy) } ?? remedy,
      errno: first.error.errno)
  }
}
