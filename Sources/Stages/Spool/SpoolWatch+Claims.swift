import Glibc
import Jobs
import Linux
import Messages
import Seams

extension SpoolWatch {
  /// A name whose turn it is to be claimed.
  struct Ready {
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

  /// Claims up to `limit` ready names, durably. A name that cannot be claimed stays in the spool, and the next scan tries it again. In a
  /// spool whose claims need a step before this one, only `prepared` names are claimed.
  func claim(_ limit: Int, _ prepared: [Ready]? = nil) throws(SpoolProblem) -> [Claim] {
    guard let held = spool.present else { return [] }
    let known = candidates.count
    defer { countUntaken(candidates.count - known) }
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
    if !claims.isEmpty {
      assert(claims.count <= limit, "more claims than there is room for")
      assert(Set(claims.map(\.id)).count == claims.count, "two claims of one id")
      Failpoint.claimSyncing.pass()
      try makeDurable { () throws(FileError) in try held.sync(claims, sourcesLater: true) }
      Failpoint.claimSynced.pass()
    }
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

  private func take(_ ready: Ready, _ held: LockedSpool) throws(FileError) -> LockedSpool.Taking? {
    let (name, id) = (ready.name, ready.id)
    switch ready.kind {
    case .file: return try held.claim(name, from: try whereabouts(name).0, as: id)
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

  private func claim(of ready: Ready, _ taking: LockedSpool.Taking) -> Claim? {
    let (name, id) = (ready.name, ready.id)
    refusals.forget(name)
    switch taking {
    case .taken(let claim, let loss):
      if let loss { report(.attributes, loss, remedy: nil) }
      return claim
    case .gone:
      // A file in place may have changed while the list was asked about it, and no event tells of a new mode.
      guard case .inPlace = ready.kind, candidates.wants(name), let facts = readFacts(name) else { break }
      candidates.found(name, facts, age: isRemote ? .zero : age(facts.changed), now: now)
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
    refusals.add(name, problem, owner: owner, now: now)
    problems.report(problem.ofClaim(options))
    countUntaken(1)
    passedOver += 1
    nextScan = min(nextScan, now + interval)
  }

  /// Renames claims to the ids that their files ask for (`user.waybill.id`), if these are free, and makes that durable. Returns the claims
  /// with the ids that they have then.
  func moveToWantedIDs(_ claims: [Claim]) async throws -> [Claim] {
    guard claims.contains(where: { $0.wantedID != nil }), let held = spool.present else { return claims }
    var staying: [Claim] = []
    var moving: [(claim: Claim, id: JobID)] = []
    var taken: Set<JobID> = []
    for claim in claims {
      if let id = claim.wantedID, taken.insert(id).inserted, await intake.isFree(id) {
        moving.append((claim, id))
      } else {
        staying.append(claim)
      }
    }
    var moved: [Claim] = []
    try makeDurable { () throws(FileError) in
      moved = try held.adopt(
        moving, for: .adoption,
        refused: { _, error in problems.report(LockedSpool.refused(options, error).ofClaim(options)) },
        unseen: { claim, id, error in tryAgain(id, claim.dropped, error) })
    }
    assert(staying.count + moved.count <= claims.count, "a claim became two")
    return staying + moved
  }

  /// Makes the fsyncs of claims. A failed one is not tried again: that would not prove that the renames are on disk.
  nonisolated func makeDurable(by sync: () throws(FileError) -> Void) throws(SpoolProblem) {
    do throws(FileError) {
      try sync()
    } catch {
      throw SpoolProblem(options, .sync, error, remedy: .lookAfterDisk)
    }
  }

  /// Returns whether a file in the spool is open for writing, if a lease can show that.
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

/// The names in the spool that could not be claimed, with the problem of each, up to a limit (``Crowd``).
struct Refusals: Sendable {
  typealias Instant = ContinuousClock.Instant

  static let most = 1024

  private(set) var byName: [FileName: (problem: SpoolProblem, owner: UInt32?, at: Instant)] = [:]

  subscript(name: FileName) -> SpoolProblem? { byName[name]?.problem }

  mutating func add(_ name: FileName, _ problem: SpoolProblem, owner: UInt32?, now: Instant) {
    byName[name] = (problem, owner, now)
    guard byName.count > Self.most else { return }
    let members = byName.map { Crowd.Member(name: $0, owner: $1.owner, isStuck: true, since: $1.at) }
    for leaver in Crowd.leavers(members, Self.most / Crowd.part) { byName[leaver.name] = nil }
    assert(byName.count <= Self.most, "nobody gave way")
  }

  mutating func forget(_ name: FileName) { byName[name] = nil }

  /// Forgets the names that were last tried before `time`: they are gone, or not wanted any more.
  mutating func forget(before time: Instant) { byName = byName.filter { $0.value.at >= time } }
}
