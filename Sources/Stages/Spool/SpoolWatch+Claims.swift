import Jobs
import Linux
import Messages

extension SpoolWatch {
  /// Claims up to `limit` of the ready names and makes the renames durable.
  ///
  /// A name that cannot be claimed stays in the spool and is tried again by the next scan, so there is no endless loop. Events are not unread
  /// for long either: the next turn goes on.
  func claim(_ limit: Int) throws(SpoolProblem) -> [Claim] {
    if let marker = options.group { return try claimGroups(limit, marker) }
    if let pattern = options.sidecar { return try claimPairs(limit, pattern) }
    var claims: [Claim] = []
    guard candidates.readyCount > 0, let held = spool.present else { return [] }
    let known = candidates.count
    defer { untaken.add(candidates.count - known) }
    // The file that the lease was asked for, which its claim reads.
    var asked: OpenFile?
    func ask(_ name: FileName, _ facts: FileFacts) -> Writers {
      let (writers, file) = openUnwritten(name, facts)
      asked = file
      return writers
    }
    let end = now + Self.longestSilence
    while claims.count < limit, now < end, let name = candidates.takeReady(now: now, look: look, writers: ask) {
      do throws(FileError) {
        defer { asked = nil }
        let id = JobID.mint(at: spool.wallClock(), random: &random)
        let (directory, _) = try whereabouts(name)
        let taking = try held.claim(name, from: directory, as: id, sizes: options.sizes, opened: asked)
        if let claim = claim(of: name, id, taking) { claims.append(claim) }
      } catch {
        if !error.isOfSomethingGone { refuse(name, error, owner: look(name)?.owner) }
      }
    }
    reportPresumed()
    try makeDurable(claims, held)
    return claims
  }

  /// Acts on the result of an attempt to claim a name; returns the claim if there is one.
  func claim(of name: FileName, _ id: JobID, _ taking: LockedSpool.Taking) -> Claim? {
    refusals.forget(name)
    refusedSizes.forget(name)
    switch taking {
    case .taken(let claim, let loss):
      if options.recursive { recordClaim(from: Folder(of: name)) }
      if let loss { report(loss, name) }
      return claim
    case .gone: break
    case .refused(let refusal): refusedSizes.add(name, refusal, scan: scans, isScanned: false)
    case .notAFile: reportImpostor(name)
    case .unseen(let error): tryAgain(id, name, error)
    }
    return nil
  }

  /// Leaves a name in the spool that could not be claimed. The next scan tries it again.
  func refuse(_ name: FileName, _ error: FileError, owner: UInt32?) {
    refuse(name, LockedSpool.refused(options, error, in: Folder(of: name)), owner: owner)
  }

  /// The same, with the problem.
  func refuse(_ name: FileName, _ problem: SpoolProblem, owner: UInt32?) {
    refusals.add(name, problem, owner: owner, now: now)
    problems.report(problem.ofClaim(options))
    untaken.add(1)
    untaken.passOver()
    nextScan = min(nextScan, now + interval)
  }

  /// Returns the claims under the ids that their files ask for (`user.waybill.id`), if those are well formed and free.
  func adopted(_ claims: [Claim]) async throws -> [Claim] {
    guard claims.contains(where: { $0.wantedID != nil }), let held = spool.present else { return claims }
    var (result, moved): ([Claim], [Claim]) = ([], [])
    var taken: Set<JobID> = []
    for claim in claims {
      guard let id = claim.wantedID, taken.insert(id).inserted, await intake.isFree(id) else {
        result.append(claim)
        continue
      }
      do throws(FileError) {
        switch try held.adopt(claim, as: id) {
        case .done(let adopted):
          result.append(adopted)
          moved.append(claim)
        case .refused: result.append(claim)
        case .unseen(let error): tryAgain(id, claim.dropped, error)
        }
      } catch {
        if error.mayPass {
          tryAgain(claim.id, claim.dropped, error)
        } else {
          problems.report(LockedSpool.refused(options, error).ofClaim(options))
          result.append(claim)
        }
      }
    }
    try makeDurable(held, result, .adoption)
    Failpoint.adoptSynced.pass()
    forgetSidecars(held, leftBy: moved)
    return result
  }

  /// Reports files that were claimed although somebody may still be writing to them.
  func reportPresumed() {
    guard let (name, count) = candidates.presumed else { return }
    candidates.presumed = nil
    let time = options.settleOpen
    report(
      .settling,
      count == 1
        ? .countsAsFinished(name: name.shown, time: time)
        : .countsAsFinishedAnd(name: name.shown, others: count - 1, time: time),
      remedy: .giveLeaseRight)
  }

  /// Makes the renames of claims durable that were made just now.
  func makeDurable(_ claims: [Claim], _ held: LockedSpool) throws(SpoolProblem) {
    guard !claims.isEmpty else { return }
    Failpoint.claimSyncing.pass()
    try makeDurable(held, claims, nil)
    Failpoint.claimSynced.pass()
  }

  /// Fsyncs the renames of claims.
  func makeDurable(_ held: LockedSpool, _ claims: [Claim], _ sync: Sync?) throws(SpoolProblem) {
    try makeDurable { () throws(FileError) in try held.sync(claims, for: sync, source: source) }
  }

  /// Makes the fsyncs of claims. Trying a failed one again would not prove that the renames are on disk.
  func makeDurable(by sync: () throws(FileError) -> Void) throws(SpoolProblem) {
    do throws(FileError) {
      try sync()
    } catch {
      throw SpoolProblem(options, .sync, error, remedy: .lookAfterDisk)
    }
  }

  /// Returns a directory that files came from; nil if it has disappeared since.
  private func source(_ path: [UInt8]) throws(FileError) -> Directory? {
    do throws(FileError) {
      return try open(Folder(path: path)).reopened()
    } catch {
      if error.isOfSomethingGone { return nil }
      throw error
    }
  }

  func report(_ loss: LockedSpool.AttributeLoss, _ name: FileName) {
    let message: Message =
      switch loss {
      case .tooMany:
        .attributesTooMany(name: name.shown, count: Claim.attributeCount, size: Claim.attributeBytes)
      case .doubled(let attribute):
        .attributeDoubled(name: name.shown, attribute: DisplayText.escape(attribute))
      }
    report(.attributes, message, remedy: nil)
  }

  private func reportImpostor(_ name: FileName) {
    report(.notAFile, .replacedByNoFile(name: name.shown), remedy: .seeWhoWrites(path: options.path))
  }

  /// Returns whether a file in the spool is open for writing, if a lease can show that: for files of the daemon's own user, or
  /// for all files with CAP_LEASE.
  func writers(_ name: FileName, _ facts: FileFacts) -> Writers {
    // If no lease is possible, the question would only cause one more open event.
    guard leased.covers(facts) else { return .unknown }
    do throws(FileError) {
      let (directory, last) = try whereabouts(name)
      return directory.writers(of: last, whose: facts)
    } catch {
      return .unknown
    }
  }

  /// The same; a file that nobody has open for writing stays open for its claim.
  private func openUnwritten(_ name: FileName, _ facts: FileFacts) -> (Writers, OpenFile?) {
    guard leased.covers(facts) else { return (.unknown, nil) }
    do throws(FileError) {
      let (directory, last) = try whereabouts(name)
      return directory.openUnwritten(last, whose: facts)
    } catch {
      return (.unknown, nil)
    }
  }
}
