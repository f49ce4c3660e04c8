package import Jobs
package import Linux
import Messages

/// A claimed file that has no job yet, because it cannot be read. The daemon tries again by itself.
package struct SetAside: Sendable {
  package let id: JobID
  package let dropped: FileName
  package let error: FileError
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

  var nextTry: Instant
  /// True if the spool was opened again, or for the first time after a failure. Before anything is claimed, all claimed files are handed
  /// over: some may be in no ledger. Those that cannot be read are tried again one by one.
  private(set) var areAll = false
  /// The number of attempts in a row that left a file unread, since a file was last added.
  private var failed = 0
  private var unread: [JobID: SetAside] = [:]

  init(nextTry: Instant) { self.nextTry = nextTry }

  mutating func oweAll(now: Instant) { (areAll, nextTry, failed) = (true, now, 0) }

  mutating func add(_ file: SetAside, now: Instant) {
    if unread.count < Self.most { unread[file.id] = file }
    failed = 0
    trySoon(now: now)
  }

  mutating func trySoon(now: Instant) { nextTry = min(nextTry, now + Self.quickInterval) }

  /// False if reading the file has failed so often that its job must ask.
  func isPatient(_ id: JobID) -> Bool { (unread[id]?.tries ?? 0) < Self.patientTries }

  /// Ends an attempt, after which these files still cannot be read.
  mutating func endTry(_ setAside: [SetAside], now: Instant) {
    var still: [JobID: SetAside] = [:]
    for var file in setAside {
      file.tries += unread[file.id]?.tries ?? 0
      still[file.id] = file
    }
    (unread, areAll) = (still, false)
    if still.isEmpty { failed = 0 } else { tryFailed(now: now) }
  }

  mutating func tryFailed(now: Instant) {
    failed += 1
    nextTry = min(nextTry, now + (failed < Self.quickTries ? Self.quickInterval : Self.slowInterval))
  }
}

extension SpoolWatch {
  var mustSeekStrays: Bool { strays.nextTry <= now && spool.present != nil }

  /// Records a file that was claimed but could not be read, and has no job. The read is tried again soon.
  func tryAgain(_ id: JobID, _ dropped: FileName, _ error: FileError) {
    let file = SetAside(id: id, dropped: dropped, error: error)
    strays.add(file, now: now)
    reportSetAside([file])
  }

  /// Creates jobs for claimed files that have none. Files that cannot be read are tried again.
  func seekStrays() async throws {
    guard let held = spool.present else { return }
    strays.nextTry = now + options.rescan
    do {
      let setAside = strays.areAll ? try await handOverAll() : try await handOverStrays(held)
      // If the directory has disappeared, everything begins anew anyway.
      guard spool.present === held else { return }
      strays.endTry(setAside, now: now)
      reportSetAside(setAside)
    } catch let error as FileError {
      guard spool.present === held else { return }
      strays.tryFailed(now: now)
      let advice = LockedSpool.refused(options, error).advice
      report(
        .unread, .claimsUnreadable(why: error.message),
        remedy: advice.map { .and(what: .triedAgainByItself, more: $0) }, errno: error.errno)
    }
  }

  private func handOverAll() async throws -> [SetAside] {
    let claims = try spool.claimBatches()
    try await intake.adoptAll(claims)
    spool.lock.change { $0.owesClaims = false }
    return claims.setAside
  }

  /// Hands over the claimed files that have no job, and returns those that could not be read.
  private func handOverStrays(_ held: LockedSpool) async throws -> [SetAside] {
    let ids = try await idsWithoutJob(held)
    if ids.isEmpty, !mustReturnSidecars { return [] }
    let listing = try ClaimListing(held, marker: options.group, ids: ids, isPatient: strays.isPatient)
    while spool.present === held {
      var batch: [Claim] = []
      while batch.count < Self.batch, let claim = try listing.next() { batch.append(claim) }
      if batch.isEmpty { break }
      try makeDurable { () throws(FileError) in try held.sync(batch) }
      try await intake.adopt(batch)
    }
    if mustReturnSidecars { try await returnSidecars(held) }
    return listing.setAside
  }

  /// Puts back the claimed sidecars that have neither a document in `.waybill` nor a job.
  private func returnSidecars(_ held: LockedSpool) async throws {
    let stranded = try spool.strandedSidecars()
    while spool.present === held, case let batch = try stranded.next(upTo: Self.batch), !batch.isEmpty {
      let ids = Set(try await intake.withoutJob(batch.map(\.id)))
      // A sidecar with two ids belongs to a document that is getting the other id.
      for sidecar in batch where ids.contains(sidecar.id) && !sidecar.stands {
        if let problem = try spool.putBack(sidecar) { problems.report(problem) } else { scanIsWanted = true }
      }
    }
    mustReturnSidecars = false
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
      remedy: first.error.remedy.map { .and(what: $0, more: remedy) } ?? remedy,
      errno: first.error.errno)
  }
}
