import Jobs
import Linux
import Messages
import Seams

/// Documents with a sidecar: both are claimed together, whichever arrives first, once both are ready in the usual way and were checked
/// again. So neither is claimed while somebody writes to it.
extension SpoolWatch {
  private enum Partner {
    /// A ready partner is no candidate any more.
    case ready, missing, awaited
  }

  /// Claims the sidecars of up to `limit` ready documents, durably. Returns the documents to claim next: their sidecar is claimed, or did
  /// not arrive in time.
  func claimSidecars(_ limit: Int, _ pattern: SidecarPattern, _ held: LockedSpool) throws(SpoolProblem) -> [Ready] {
    var ready: [Ready] = []
    var claimed: [(id: JobID, document: FileName)] = []
    let end = now + Self.longestSilence
    while ready.count < limit, now < end,
      let (name, known) = candidates.next(now: now, look: readFacts, writers: writers)
    {
      if pattern.fits(name) {
        rest(name, known)
        continue
      }
      let id = newID()
      let kind: Ready.Kind
      switch partner(of: name, known, pattern) {
      case .awaited: continue
      case .missing: kind = .file
      case .ready:
        do throws(FileError) {
          let (directory, _) = try whereabouts(name)
          guard let owner = try held.claimSidecar(pattern, of: name, from: directory, as: id) else {
            // The sidecar has disappeared at the last moment, so the document waits for another one.
            let deadline = max(known.since, known.stillSince) + options.sidecarWait
            letWait(name, known, for: pattern.sidecar(of: name), until: deadline)
            continue
          }
          claimed.append((id, name))
          kind = .pair(pattern, sidecarOf: owner)
        } catch {
          putBackSidecar(of: name, id, pattern, held)
          refuse(Ready(name: name, id: id, owner: known.owner, kind: .file), error)
          continue
        }
      }
      ready.append(Ready(name: name, id: id, owner: known.owner, kind: kind))
    }
    waiting.prune(toAbout: candidates.count) { candidates.table[$0]?.phase == .awaitingSidecar }
    if !claimed.isEmpty {
      try makeDurable { () throws(FileError) in try held.syncSidecars(pattern, claimed) }
      Failpoint.sidecarsSynced.pass()
    }
    return ready
  }

  /// Lets a ready sidecar wait for its document, and makes documents ready again that wait for it.
  private func rest(_ sidecar: FileName, _ known: Candidate) {
    var known = known
    candidates.wait(sidecar, &known, until: nil, as: .awaitingDocument)
    let documents = waiting.remove(for: sidecar) { candidates.table[$0]?.phase == .awaitingSidecar }
    if documents.isEmpty, options.sidecarMissing == .ask { lateSidecars.insert(sidecar) }
    for document in documents {
      guard var candidate = candidates.table[document] else { continue }
      candidates.makeReady(document, &candidate)
    }
  }

  /// Claims late sidecars for the documents whose jobs ask about them, and hands the pairs over: the jobs take the sidecars and go on.
  func joinLateSidecars() async throws {
    let asking = try await intake.asking(for: exchange(&lateSidecars, with: []))
    guard !asking.isEmpty, let pattern = options.sidecar, let held = spool.present else { return }
    opened = nil
    let known = candidates.count
    var joined: [Claim] = []
    for document in asking {
      let sidecar = pattern.sidecar(of: document.name)
      do throws(FileError) {
        let owner = try held.facts(document).owner
        // If another document of this name is in the spool, the sidecar is that one's.
        guard let facts = readFacts(sidecar), readFacts(document.name) == nil else { continue }
        guard LockedSpool.makePair(owner, facts.owner) else {
          report(foreign: sidecar, of: facts.owner, beside: document.name, of: owner)
          continue
        }
        guard isClaimable(sidecar, facts) else { continue }
        let (directory, _) = try whereabouts(sidecar)
        guard let moved = try held.claimSidecar(pattern, of: document.name, from: directory, as: document.id),
          LockedSpool.makePair(owner, moved)
        else {
          putBackSidecar(of: document.name, document.id, pattern, held)
          continue
        }
        joined.append(try held.read(document, isPatient: false))
        refusals.forget(sidecar)
      } catch {
        putBackSidecar(of: document.name, document.id, pattern, held)
        if candidates.table[sidecar] == nil {
          refuse(Ready(name: sidecar, id: document.id, owner: nil, kind: .file), error)
        }
      }
    }
    countUntaken(candidates.count - known)
    guard !joined.isEmpty else { return }
    try makeDurable { () throws(FileError) in try held.syncSidecars(pattern, joined.map { ($0.id, $0.dropped) }) }
    try makeDurable { () throws(FileError) in try held.sync(joined) }
    Failpoint.lateSidecarsSynced.pass()
    do {
      try await intake.adopt(joined)
    } catch is FileError {
      // Some sidecars have not been put back. All claimed files are handed over again.
      strays.oweAll(now: now)
    }
  }

  /// Returns the state of the sidecar of a document that is ready. If it is awaited, the document waits on.
  private func partner(of document: FileName, _ known: Candidate, _ pattern: SidecarPattern) -> Partner {
    let now = self.now
    let name = pattern.sidecar(of: document)
    let deadline = max(known.since, known.stillSince) + options.sidecarWait
    let found = readFacts(name)
    if found == nil { candidates.forget(name) }
    guard let facts = found, LockedSpool.makePair(known.owner, facts.owner) else {
      if let found { report(foreign: name, of: found.owner, beside: document, of: known.owner) }
      // The sidecar may be claimed and not yet put back.
      if deadline <= now, !mustReturnSidecars { return .missing }
      letWait(document, known, for: name, until: deadline <= now ? now + Strays.quickInterval : deadline)
      return .awaited
    }
    if candidates.table[name] == nil {
      candidates.found(name, facts, age: isRemote ? .zero : age(facts.changed), now: now)
    }
    if isClaimable(name, facts) { return .ready }
    letWait(document, known, for: name, until: now + max(options.sidecarWait, .seconds(5)))
    return .awaited
  }

  /// Checks once more a sidecar that waits for its document. One that can be claimed is no candidate any more.
  private func isClaimable(_ name: FileName, _ facts: FileFacts) -> Bool {
    guard var sidecar = candidates.table[name], sidecar.phase == .awaitingDocument else { return false }
    if let stillness = sidecar.stillness, stillness != FileIdentity(facts) {
      candidates.changed(name, &sidecar, facts, now)
      return false
    }
    switch writers(name, facts) {
    case .some:
      candidates.wait(name, &sidecar, until: now + options.settleUnseen, as: .open)
      return false
    case .unknown:
      if let end = candidates.uncertainty(sidecar, facts), end > now {
        candidates.wait(name, &sidecar, until: end, as: .uncertain)
        return false
      }
    case .none: break
    }
    candidates.forget(name)
    return true
  }

  private func report(foreign sidecar: FileName, of owner: UInt32, beside document: FileName, of other: UInt32?) {
    report(
      .sidecar,
      .sidecarOfAnother(
        sidecar: sidecar.shown, owner: UserName.of(owner), document: document.shown,
        other: other.map { UserName.of($0) } ?? "?"),
      remedy: .dropBothAsOne)
  }

  private func letWait(
    _ document: FileName, _ known: Candidate, for sidecar: FileName, until due: ContinuousClock.Instant
  ) {
    var known = known
    candidates.wait(document, &known, until: due, as: .awaitingSidecar)
    waiting.add(document, for: sidecar)
  }

  /// Takes the document of a pair. If that fails, its sidecar is put back.
  func takeDocument(
    _ ready: Ready, _ pattern: SidecarPattern, sidecarOf owner: UInt32, _ held: LockedSpool
  ) throws(FileError) -> LockedSpool.Taking {
    let (document, id) = (ready.name, ready.id)
    do throws(FileError) {
      let taking = try held.claim(document, from: try whereabouts(document).0, as: id, sidecarOf: owner)
      switch taking {
      case .taken: break
      // If both are claimed, the next look for strays reads them together; if only the sidecar is, it is put back then.
      case .unseen: mustReturnSidecars = true
      case .gone, .notAFile: putBackSidecar(of: document, id, pattern, held)
      }
      return taking
    } catch {
      putBackSidecar(of: document, id, pattern, held)
      throw error
    }
  }

  /// Puts the claimed sidecar of a document that is not claimed back into the spool; if that fails, with the next look for ``Strays``.
  private func putBackSidecar(of document: FileName, _ id: JobID, _ pattern: SidecarPattern, _ held: LockedSpool) {
    do throws(FileError) {
      guard try held.hasSidecar(pattern, id, document) else { return }
      let sidecar = StrandedSidecar(pattern: pattern, id: id, document: document, stands: false)
      // Its event, or a scan, finds it. A scan at once would find the document too, and could fail as fast again.
      if let problem = try spool.putBack(sidecar) { problems.report(problem) }
    } catch {
      mustReturnSidecars = true
      strays.trySoon(now: now)
    }
  }
}

/// The documents that wait for a sidecar, by the sidecar's name: with `{stem}`, the document's name does not follow from it. An entry is
/// only a hint: ``Candidates`` knows whether the document still waits.
struct WaitingDocuments {
  private var documents: [FileName: Set<FileName>] = [:]
  private var count = 0

  /// The maximum number of documents that one sidecar makes ready: only one can have it. The others become ready when they are due.
  private static let mostTold = 64

  mutating func add(_ document: FileName, for sidecar: FileName) {
    if documents[sidecar, default: []].insert(document).inserted { count += 1 }
  }

  /// Removes and returns documents that wait for a sidecar, and are still waiting.
  mutating func remove(for sidecar: FileName, where isWaiting: (FileName) -> Bool) -> [FileName] {
    var told: [FileName] = []
    while told.count < Self.mostTold, let document = documents[sidecar]?.popFirst() {
      count -= 1
      if isWaiting(document) { told.append(document) }
    }
    if documents[sidecar]?.isEmpty == true { documents[sidecar] = nil }
    return told
  }

  /// Removes the entries of documents that do not wait any more, once there are many entries.
  mutating func prune(toAbout waiting: Int, isWaiting: (FileName) -> Bool) {
    guard count > 2 * waiting + 1024 else { return }
    documents = documents.mapValues { $0.filter(isWaiting) }.filter { !$0.value.isEmpty }
    count = documents.values.reduce(0) { $0 + $1.count }
  }
}
