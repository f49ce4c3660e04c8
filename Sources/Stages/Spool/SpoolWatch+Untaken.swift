import Jobs
import Linux

/// The number of files in a spool that are not claimed. It does not store their names.
///
/// Normally the scans give this number. While a scan cannot end, because there is no room for the files it finds, a separate walk
/// counts the names: first after one second, then as often as the spool is scanned.
struct UntakenCount {
  typealias Instant = ContinuousClock.Instant

  /// The maximum time that a scan may take, or wait for room, before the names are counted.
  static let patience = Duration.seconds(1)

  /// The number of files that are not claimed.
  private(set) var present = 0
  /// The number of files that the current scan has found but could neither keep nor claim.
  private var passedOver = 0
  /// The time at which to count the names; nil while all of them are known.
  private(set) var nextCount: Instant?
  /// The walk that counts names. ``seen`` is the number of names that it has counted.
  var walk: FolderWalk?
  var seen = 0

  mutating func add(_ difference: Int) { present = max(0, present + difference) }

  mutating func passOver() { passedOver += 1 }

  mutating func beginScan() { passedOver = 0 }

  /// Ends a scan: the files that it found are the candidates and those that it passed over.
  mutating func endScan(candidates: Int) { present = candidates + passedOver }

  /// Returns true if names must be counted at this time.
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

  /// Ends a count. If not all names are known by `next`, they are counted again.
  mutating func endCount(next: Instant) {
    present = seen
    walk = nil
    nextCount = next
  }

  /// Resets the count, because the spool is gone.
  mutating func reset() { self = UntakenCount() }
}

extension SpoolWatch {
  /// The maximum number of names counted in one call.
  private static let countSlice = 1024

  /// Counts some of the names while a scan has no room to continue.
  func countUntaken() {
    guard spool.present != nil, options.group == nil else { return untaken.reset() }
    // A name does not tell if its file was sent before. So only a scan counts these files.
    guard !options.keepsFiles else { return _ = untaken.isDue(now: now, allAreKnown: true) }
    let allAreKnown =
      walk == nil && newWalk == nil && newFolders.isEmpty && !scanIsWanted && nextScan > now
      && !problems.isTold(.crowded)
    guard untaken.isDue(now: now, allAreKnown: allAreKnown) else { return }
    if untaken.walk == nil {
      untaken.walk = FolderWalk(from: .spool, isWhole: false, isLate: false)
      untaken.seen = 0
    }
    // Opening a directory causes an event, as in a scan.
    var folders = 0
    for _ in 0..<Self.countSlice where folders < Self.folderSlice {
      guard let walk = untaken.walk else { return }
      do throws(FileError) {
        if try count(walk) { folders += 1 }
      } catch {
        // The scan reports directories that cannot be read. The other ones are still counted.
        if walk.folder == .spool { return endCount() }
      }
    }
  }

  private func endCount() { untaken.endCount(next: now + max(interval, UntakenCount.patience)) }

  /// Returns false for a file that stays in the spool because of its size.
  private func isToBeTaken(_ name: FileName) throws(FileError) -> Bool {
    guard !options.sizes.isUnlimited, !wanted.isSidecar(name.last.bytes) else { return true }
    return options.sizes.refusal(of: try open(Folder(of: name)).facts(of: name.last.bytes).size) == nil
  }

  /// Handles one name or one directory; returns true if a directory was opened.
  private func count(_ walk: FolderWalk) throws(FileError) -> Bool {
    switch try walk.next() {
    case .name(let entry):
      switch try kind(of: entry, in: walk.folder) {
      case .file(let name): if try isToBeTaken(name) { untaken.seen += 1 }
      case .folder(let folder): plan(folder, walk)
      case .group, .leftAlone, .nothing: break
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
