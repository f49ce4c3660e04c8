import Jobs
import Linux
import Messages

struct FoundFile {
  let name: FileName
  let facts: FileFacts
  /// True if writing to the file may have begun before its directory was watched.
  let isLate: Bool
  /// True if a scan of the whole spool found it.
  let isWhole: Bool
}

/// The things that a run has to tell and to ask about files that stay where they are. There is nothing in memory of files that were sent.
struct KeptWatch {
  /// The most files to look up in the list of sent files with one call.
  static let batch = 1024

  /// The files that a scan found, and that are not looked up yet.
  var unrecognized: [FoundFile] = []
  /// True if the scan rests until they are.
  var mustAsk = false
  /// True until the intake was told that the directory is here.
  var mustBegin = false
  /// True if the scan in progress could not read a directory.
  var isIncomplete = false
  /// True until the intake was told of the end of a scan that met each file.
  var hasScannedAll = false

  var hasWork: Bool { mustBegin || hasScannedAll || !unrecognized.isEmpty }

  mutating func add(_ file: FoundFile) {
    assert(!mustAsk, "the scan goes on without an answer")
    unrecognized.append(file)
    if unrecognized.count >= Self.batch { mustAsk = true }
  }
}

/// A spool whose files stay where they are: the list of sent files says of each that a scan finds, or that is ready, if it is new.
extension SpoolWatch {
  /// Tells the intake what happened, and asks about the files that a scan found.
  func attendKept() async throws {
    if kept.mustBegin { try await beginKept() }
    if kept.hasScannedAll {
      kept.hasScannedAll = false
      try await intake.scannedAll()
    }
    try await recognize()
  }

  /// Tells the intake that the directory is here, and notes the ledger that has the list. The note comes after the list: a list without a
  /// note is an ordinary one.
  private func beginKept() async throws {
    guard let held = spool.present else { return }
    let noted = notes { () throws(FileError) in try held.claims.note(LockedSpool.ledgerNote) }
    let ledger = try await intake.begin(KeptSource(path: options.path, epoch: held.keptRoot?.epoch, ledger: noted))
    guard spool.present === held else { return }
    kept.mustBegin = false
    guard ledger != noted else { return }
    _ = notes { () throws(FileError) in
      try held.claims.write(ledger, toNote: LockedSpool.ledgerNote)
      return ledger
    }
  }

  /// Reads or writes notes, and reports if that fails. Without them, a loss of the whole ledger is not noticed.
  private func notes(_ calls: () throws(FileError) -> String?) -> String? {
    do throws(FileError) {
      return try calls()
    } catch {
      report(.keepFiles, error, remedy: .lookAfterDisk)
      return nil
    }
  }

  private func recognize() async throws {
    kept.mustAsk = false
    let found = exchange(&kept.unrecognized, with: [])
    guard !found.isEmpty, let held = spool.present else { return }
    let standings = try await intake.standing(of: found.map { held.keptFile($0.name, $0.facts) })
    // If the spool was lost meanwhile, the next scan finds everything anew.
    guard spool.present === held else { return }
    assert(standings.count == found.count, "a file without an answer")
    for (file, standing) in zip(found, standings) {
      switch standing {
      case .new, .mayHaveBeenSent: self.found(file)
      case .known: if file.isWhole { leftAloneSoFar[.kept, default: 0] += 1 }
      case .full: refuseForRoom(file.name)
      }
    }
  }

  /// Reports a file that the list of sent files has no room for. The file stays, and the next scan tries it again.
  private func refuseForRoom(_ name: FileName) {
    let problem = SpoolProblem(
      options, .keepFiles, .keptFull(limit: options.keepFiles, path: options.path),
      remedy: .splitDirectory)
    refusals.add(name, problem, owner: readFacts(name)?.owner, now: now)
    problems.report(problem)
    passedOver += 1
  }

  /// Returns up to `limit` files that are ready and new. The list is asked before a file is opened: an opening is an event.
  func newFiles(_ limit: Int) async throws -> [Ready] {
    guard let held = spool.present else { return [] }
    let ready = takeReadyFiles(limit, held)
    guard !ready.isEmpty else { return [] }
    let standings = try await intake.standing(of: ready.map(\.file))
    guard spool.present === held else { return [] }
    var new: [Ready] = []
    assert(standings.count == ready.count, "a file without an answer")
    for ((file, owner), standing) in zip(ready, standings) {
      switch standing {
      case .known: refusals.forget(file.name)
      case .full: refuseForRoom(file.name)
      case .new, .mayHaveBeenSent:
        let kind = Ready.Kind.inPlace(file, mayHaveBeenSent: standing == .mayHaveBeenSent)
        new.append(Ready(name: file.name, id: newID(), owner: owner, kind: kind))
      }
    }
    return new
  }

  /// Removes ready names from the candidates, and returns their files with the owners.
  private func takeReadyFiles(_ limit: Int, _ held: LockedSpool) -> [(file: KeptFile, owner: UInt32?)] {
    let known = candidates.count
    defer { countUntaken(candidates.count - known) }
    var files: [(file: KeptFile, owner: UInt32?)] = []
    let end = now + Self.longestSilence
    while files.count < limit, now < end, let (name, _) = candidates.next(now: now, look: readFacts, writers: writers) {
      guard let facts = readFacts(name) else { continue }
      files.append((held.keptFile(name, facts), facts.owner))
    }
    return files
  }

  /// Returns the reason why a file is not claimed, as ``status(of:)`` does, also for files that were sent and stay.
  func standing(of name: FileName) async -> FileStatus {
    let status = status(of: name)
    guard options.keepsFiles, let held = spool.present, let facts = status.facts, facts.kind == .regular,
      [.open, .uncertain, .settling, .unseen, .ready].contains(status.reason)
    else { return status }
    do {
      switch try await intake.standing(of: [held.keptFile(name, facts)]).first {
      case .known(let job): return FileStatus(.kept, .keptAlready(job: job.rawValue), facts: facts)
      case .new, .full, .mayHaveBeenSent, nil: return status
      }
    } catch {
      // Ignored: the ledger's own trouble is reported, and ends the run.
      return status
    }
  }
}
