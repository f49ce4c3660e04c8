import Glibc
import Jobs
import Linux
import Messages
import Seams

extension SpoolWatch {
  /// A name whose turn it is to be claimed.
  struct Ready {
    /// Its kind, with the facts for its claim.
    enum Kind {
      case file
      /// A document whose sidecar, of this owner, is claimed already.
      case pair(SidecarPattern, sidecarOf: UInt32)
      /// A directory, with the sum of its last check.
      case group(GroupSum?)
      case inPlace(KeptFile, mayHaveBeenSent: Bool)
    }

    let name: FileName
    let id: JobID
    let owner: UInt32?
    let kind: Kind
  }

  /// Claims up to `limit` of the names that are ready and makes the renames durable.
  ///
  /// A name that cannot be claimed stays in the spool and is tried again by the next scan, so there is no endless loop. Events are not unread
  /// for long either: the next turn goes on.
  ///
  /// - Parameter prepared: the names of a spool whose claims need a step before this one. No other names are claimed there.
  func claim(_ limit: Int, _ prepared: [Ready]? = nil) throws(SpoolProblem) -> [Claim] {
    guard let held = spool.present else { return [] }
    let known = candidates.count
    defer { untaken.add(candidates.count - known) }
    var prepared = prepared?[...]
    if prepared == nil, let pattern = options.sidecar { prepared = try claimSidecars(limit, pattern, held)[...] }
    let end = now + Self.longestSilence
    func next() -> Ready? {
      if prepared != nil { return prepared?.popFirst() }
      return now < end ? nextReady() : nil
    }
    var claims: [Claim] = []
    while claims.count < limit, let ready = next() {
      do throws(FileError) {
        if let taking = try take(ready, held), let claim = claim(of: ready, taking) { claims.append(claim) }
      } catch {
        refuse(ready, error)
      }
    }
    reportPresumed()
    if !claims.isEmpty {
      Failpoint.claimSyncing.pass()
      try makeDurable(claims, held)
      Failpoint.claimSynced.pass()
    }
    if begunPairs.isOverfull { endBegunPairs() }
    return claims
  }

  /// Returns the next file or group to claim; nil if there is none for now.
  private func nextReady() -> Ready? {
    if options.group != nil {
      guard let (name, sum) = groups.takeReady() else { return nil }
      return Ready(name: name, id: newID(), owner: groups.table[name]?.owner, kind: .group(sum))
    }
    guard let (name, known) = candidates.next(now: now, look: readFacts, writers: writers) else { return nil }
    return Ready(name: name, id: newID(), owner: known.owner, kind: .file)
  }

  func newID() -> JobID { JobID.mint(at: spool.wallClock(), random: &random) }

  /// Takes a name from those that drop files; nil if it has to wait on.
  private func take(_ ready: Ready, _ held: LockedSpool) throws(FileError) -> LockedSpool.Taking? {
    let (name, id) = (ready.name, ready.id)
    switch ready.kind {
    case .file: return try held.claim(name, from: try whereabouts(name).0, as: id, sizes: options.sizes)
    case .pair(let pattern, let owner): return try takeDocument(ready, pattern, sidecarOf: owner, held)
    case .group(let sum):
      opened = nil
      guard try confirmReady(name, sum) else { return nil }
      let taking = try held.claimGroup(name, as: id, marker: options.group ?? "")
      groups.forget(name)
      forget(Folder.spool.child(name.bytes))
      return taking
    case .inPlace(let file, let mayHaveBeenSent):
      let directory = try whereabouts(name).0
      return try held.claimInPlace(file, from: directory, as: id, mayHaveBeenSent: mayHaveBeenSent)
    }
  }

  /// Acts on the result of an attempt to claim a name; returns the claim if there is one.
  private func claim(of ready: Ready, _ taking: LockedSpool.Taking) -> Claim? {
    let (name, id) = (ready.name, ready.id)
    refusals.forget(name)
    switch taking {
    case .taken(let claim, let loss):
      begunPairs.forget(name)
      let folder = Folder(of: name)
      if options.recursive, options.removesFolders, folder != .spool {
        // It may be empty.
        emptied.add(folder, due: now + options.settleUnseen)
      }
      if let loss { report(loss, name) }
      return claim
    case .gone: break
    case .refused: scanSoon()
    case .notAFile:
      report(.notAFile, .replacedByNoFile(name: name.shown), remedy: .seeWhoWrites(path: options.path))
    case .unseen(let error): tryAgain(id, name, error)
    }
    return nil
  }

  /// Leaves a name in the spool that could not be claimed, unless it is gone. The next scan tries it again.
  func refuse(_ ready: Ready, _ error: FileError) {
    switch ready.kind {
    case .group: refuseGroup(ready.name, error)
    case .file, .pair, .inPlace:
      guard !error.isOfSomethingGone else { return }
      let problem =
        options.keepsFiles
        ? SpoolProblem(options, .claim, error, remedy: .makeReadable)
        : LockedSpool.refused(options, error, in: Folder(of: ready.name))
      refuse(ready.name, problem, owner: ready.owner)
    }
  }

  func refuse(_ name: FileName, _ problem: SpoolProblem, owner: UInt32?) {
    remember(name, problem, owner: owner)
    problems.report(problem.ofClaim(options))
    untaken.add(1)
    untaken.passedOver += 1
    nextScan = min(nextScan, now + interval)
  }

  func remember(_ name: FileName, _ problem: SpoolProblem, owner: UInt32?) {
    refusals.add(name, problem, owner: owner, now: now)
    for leaver in refusals.leavers { refusals.forget(leaver) }
  }

  /// Renames claims to the ids that their files ask for (`user.waybill.id`), if those are well formed and free, and makes that durable.
  /// Returns the claims as they are then.
  func moveToWantedIDs(_ claims: [Claim]) async throws -> [Claim] {
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
        case .success(let adopted):
          result.append(adopted)
          moved.append(claim)
        case .failure(let error): tryAgain(id, claim.dropped, error)
        }
      } catch {
        if error.mayPass {
          tryAgain(claim.id, claim.dropped, error)
        } else {
          if error.errno != EEXIST { problems.report(LockedSpool.refused(options, error).ofClaim(options)) }
          result.append(claim)
        }
      }
    }
    try makeDurable(result, held, for: .adoption)
    Failpoint.adoptSynced.pass()
    do throws(FileError) {
      try held.forgetSidecars(leftBy: moved)
    } catch {
      problems.report(LockedSpool.refused(options, error))
    }
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

  func makeDurable(_ claims: [Claim], _ held: LockedSpool, for sync: Sync? = nil) throws(SpoolProblem) {
    try makeDurable { () throws(FileError) in try held.sync(claims, for: sync) }
  }

  /// Makes the fsyncs of claims. Trying a failed one again would not prove that the renames are on disk.
  func makeDurable(by sync: () throws(FileError) -> Void) throws(SpoolProblem) {
    do throws(FileError) {
      try sync()
    } catch {
      throw SpoolProblem(options, .sync, error, remedy: .lookAfterDisk)
    }
  }

  private func report(_ loss: LockedSpool.AttributeLoss, _ name: FileName) {
    switch loss {
    case .tooMany:
      let (count, size) = (Claim.attributeCount, Claim.attributeBytes)
      report(.attributes, .attributesTooMany(name: name.shown, count: count, size: size), remedy: nil)
    case .doubled(let attribute):
      let message = Message.attributeDoubled(name: name.shown, attribute: DisplayText.escape(attribute))
      report(.attributes, message, remedy: nil)
    }
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
}
