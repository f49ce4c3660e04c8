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
        if let id = ClaimedPath.parse(entry.name)?.id ?? ClaimedPath.id(entry.name) { batch.append(id) }
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
    problems.report(
      SpoolProblem(
        options, .unread,
        all.count == 1
          ? .claimUnreadable(name: name, why: why) : .claimUnreadableAnd(name: name, others: all.count - 1, why: why),
        remedy: first.error.remedy.map { .andRemedy(what: .text($0), remedy: remedy) } ?? remedy,
        errno: first.error.errno))
  }
}
