import Glibc
import Jobs
import Linux
import Messages

extension SpoolWatch {
  /// Continues the current scan, or begins one if it is due, until `enough` names are ready or the slice is read. New directories, which
  /// may come without end, get every second slice. Memory does not grow with the files: ready ones are claimed before more names are read.
  func advanceScan(until enough: Int) {
    if walk == nil, scanIsWanted || nextScan <= now { beginScan() }
    // Opening a directory causes an event, so opening many at once would fill the kernel's queue.
    var folders = 0
    let isForNew = turns % 2 == 0
    for _ in 0..<Self.scanSlice
    where candidates.readyCount < enough && folders < Self.folderSlice && !kept.mustAsk {
      if newWalk == nil, !newFolders.isEmpty {
        let new = newFolders.removeFirst()
        newWalk = FolderWalk(from: new.folder, isWhole: false, isLate: new.isMade)
      }
      guard let walk = isForNew ? newWalk ?? walk : walk ?? newWalk else { return }
      do throws(FileError) {
        if try step(walk) { folders += 1 }
      } catch {
        report(error, of: walk)
      }
    }
  }

  /// Handles one name or one directory; returns true if a directory was opened.
  func step(_ walk: FolderWalk) throws(FileError) -> Bool {
    switch try walk.next() {
    case .name(let entry): try consider(entry, walk)
    case .nextFolder(let folder):
      let directory = try open(folder)
      watch(folder, directory)
      try walk.enter(directory)
      return true
    case .end:
      // The run first asks about the last files of the walk. Then the walk ends again.
      guard kept.unrecognized.isEmpty else {
        kept.mustAsk = true
        return false
      }
      if !walk.isWhole {
        newWalk = nil
      } else if self.walk === walk {
        endScan()
      }
    }
    return false
  }

  private func report(_ error: FileError, of walk: FolderWalk) {
    if error.isOfSomethingGone, walk.folder != .spool { return }
    if walk.isWhole { kept.isIncomplete = true }
    guard error.errno == EXDEV else { return reportScan(error) }
    report(
      .unsupported, .otherFileSystem(folder: walk.folder.shown, path: options.path), remedy: .makeOwnSpool,
      errno: EXDEV)
  }

  enum Kind {
    case file(FileName)
    case group(FileName)
    case folder(Folder)
    case leftAlone(FileStatus.Reason)
    /// It has disappeared, or its name begins with a dot.
    case nothing
  }

  func kind(of entry: DirectoryListing.Entry, in folder: Folder) throws(FileError) -> Kind {
    let name = folder.file(entry.name)
    guard wanted.contains(name) else { return wanted.pattern(for: name) == nil ? .nothing : .leftAlone(.ignored) }
    var kind = entry.kind
    if kind == nil { kind = try open(folder).facts(of: entry.name).kind }
    switch kind {
    case .regular:
      if options.group != nil { return .leftAlone(.looseFile) }
      return wanted.isMatched(name) ? .file(name) : .leftAlone(.unmatched)
    case .directory:
      if options.group != nil { return wanted.isMatched(name) ? .group(name) : .leftAlone(.unmatched) }
      return options.recursive ? .folder(folder.child(entry.name)) : .leftAlone(.directory)
    case .symbolicLink, .other: return .leftAlone(.notAFile)
    case nil: return .nothing
    }
  }

  private func consider(_ entry: DirectoryListing.Entry, _ walk: FolderWalk) throws(FileError) {
    switch try kind(of: entry, in: walk.folder) {
    case .file(let name): consider(name, walk)
    case .group(let name): metGroup(name)
    case .folder(let folder): plan(folder, walk)
    case .leftAlone(let reason): if walk.isWhole { leftAloneSoFar[reason, default: 0] += 1 }
    case .nothing: break
    }
  }

  private func consider(_ name: FileName, _ walk: FolderWalk) {
    guard candidates.wants(name, isLate: walk.isLate), let facts = readFacts(name) else { return }
    let file = FoundFile(name: name, facts: facts, isLate: walk.isLate, isWhole: walk.isWhole)
    if options.keepsFiles, candidates.table[name] == nil { kept.add(file) } else { found(file) }
  }

  func found(_ file: FoundFile) {
    // A file server stamps files with its own clock.
    let age = isRemote ? .zero : age(file.facts.changed)
    candidates.found(file.name, file.facts, age: age, isLate: file.isLate, now: now)
    if file.isWhole, candidates.table[file.name] == nil { passedOver += 1 }
  }

  /// Plans to read a directory later in the walk, unless it is too deep.
  func plan(_ folder: Folder, _ walk: FolderWalk) {
    guard folder.path.count <= Folder.longestPath else {
      report(
        .folders, .folderTooDeep(folder: "\(folder.shown.prefix(80))"),
        remedy: .pathLimit(limit: Folder.longestPath))
      return
    }
    walk.plan(folder)
  }

  private func beginScan() {
    scanIsWanted = false
    // Without room nothing is claimed, so a scan does not show that a problem is over.
    if !isAwaitingRoom { problems.beginScan() }
    passedOver = 0
    guard isStillThere() else {
      lose()
      // The run opens it again.
      return nextScan = now
    }
    scanLacksWatches = false
    if inotify == nil { startWatching() }
    nextScan = now + interval
    scans += 1
    walk = FolderWalk(from: .spool, isWhole: true, isLate: scanIsLate)
    scanIsLate = false
    leftAloneSoFar = [:]
    kept.isIncomplete = false
    earlierScanBegan = scanBegan
    scanBegan = now
  }

  private func endScan() {
    walk = nil
    isPartlyWatched = scanLacksWatches
    for watch in tree.removeUnseen(in: scans) { inotify?.unwatch(watch) }
    if !isAwaitingRoom { problems.endScan() }
    untaken = candidates.count + passedOver
    leftAlone = leftAloneSoFar
    if !isAwaitingRoom { refusals.forget(before: earlierScanBegan) }
    kept.hasScannedAll = options.keepsFiles && !kept.isIncomplete && !candidates.wasFull
    scanTook = self.now - scanBegan
    if problems.hasLasting { nextScan = min(nextScan, self.now + interval) }
    let now = spool.wallClock()
    spool.setStatus {
      $0.lastScan = now
      $0.scans += 1
    }
  }

  /// While there is a problem, scans may take one part in so many of the time.
  static let leastQuiet = 20

  /// The time between scans. It is shorter while a problem prevents files from being claimed, so that the end of the problem is
  /// noticed soon; but scans of a large spool still take only a small part of the time.
  var interval: Duration {
    if inotify == nil || isPartlyWatched { return options.poll }
    return Self.interval(options, isTroubled: problems.hasLasting, lastScan: scanTook)
  }

  static func interval(_ options: SpoolOptions, isTroubled: Bool, lastScan: Duration) -> Duration {
    isTroubled ? min(options.rescan, max(options.look, lastScan * leastQuiet)) : options.rescan
  }
}
