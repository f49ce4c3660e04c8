import LinuxFiles

/// The number of files that stand in a spool and have not been taken, kept without their names.
///
/// The scans that run anyway give it. Only while one cannot end, because there is no room for what it finds, are names counted
/// by a walk of its own: once after a second, then at the pace of rescans.
struct UntakenCount {
  typealias Instant = ContinuousClock.Instant

  /// How long a scan may take, or wait for room, before the names are counted.
  static let patience = Duration.seconds(1)

  /// How many there are.
  private(set) var standing = 0
  /// How many the present scan has seen and could not keep, or claim.
  private var passedOver = 0
  /// When names are to be counted; nil while all of them are known.
  private(set) var nextCount: Instant?
  /// The walk that counts them, and how many it has seen.
  var walk: FolderWalk?
  var seen = 0

  mutating func add(_ difference: Int) { standing = max(0, standing + difference) }

  mutating func passOver() { passedOver += 1 }

  mutating func beginScan() { passedOver = 0 }

  /// A scan has ended: what it found are the candidates, and what it passed over.
  mutating func endScan(candidates: Int) { standing = candidates + passedOver }

  /// Says whether names are to be counted now.
  mutating func isDue(now: Instant, allAreKnown: Bool) -> Bool {
    guard !allAreKnown else {
      nextCount = nil
      walk = nil
      return false
    }
    let due = nextCount ?? now + Self.patience
    nextCount = due
    return due <= now
  }

  /// The names are counted; once more after a pause, if they are still not all known.
  mutating func endCount(next: Instant) {
    standing = seen
    walk = nil
    nextCount = next
  }

  /// The spool is gone.
  mutating func reset() { self = UntakenCount() }
}

extension SpoolWatch {
  /// Names counted in one go.
  private static let countSlice = 1024

  /// Counts a slice of the names while a scan has no room to go on.
  func countUntaken() {
    guard spool.present != nil else { return untaken.reset() }
    let allAreKnown = walk == nil && newWalk == nil && newFolders.isEmpty && !scanIsWanted && nextScan > .now
    guard untaken.isDue(now: .now, allAreKnown: allAreKnown) else { return }
    if untaken.walk == nil {
      untaken.walk = FolderWalk(from: .spool, isWhole: false, isLate: false)
      untaken.seen = 0
    }
    // Opening a directory is heard of, as in a scan.
    var folders = 0
    for _ in 0..<Self.countSlice where folders < Self.folderSlice {
      guard let walk = untaken.walk else { return }
      do throws(FileError) {
        if try count(walk) { folders += 1 }
      } catch {
        // The scan tells of what cannot be read; the other directories are counted all the same.
        if walk.folder == .spool { return endCount() }
      }
    }
  }

  private func endCount() { untaken.endCount(next: .now + max(interval, UntakenCount.patience)) }

  /// Goes on by one name; true where a directory was opened.
  private func count(_ walk: FolderWalk) throws(FileError) -> Bool {
    switch try walk.next() {
    case .name(let entry):
      guard wanted.contains(entry.name) else { return false }
      var kind = entry.kind
      if kind == nil { kind = try open(walk.folder).facts(of: entry.name).kind }
      if kind == .regular { untaken.seen += 1 }
      if kind == .directory, options.recursive, walk.pending.count < Self.mostFolders {
        let folder = walk.folder.child(entry.name)
        if folder.path.count <= Folder.longestPath { walk.pending.append(folder) }
      }
      return false
    case .nextFolder(let folder):
      try walk.enter(try open(folder))
      return true
    case .endOfFolder: return false
    case .end:
      endCount()
      return false
    }
  }
}
