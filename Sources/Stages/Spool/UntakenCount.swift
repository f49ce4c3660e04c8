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

  var present = 0
  /// The number of files that the current scan has found but could neither keep nor claim.
  var passedOver = 0
  /// The time at which to count the names; nil while all of them are known.
  var nextCount: Instant?
  /// The walk that counts names. ``seen`` is the number of names that it has counted.
  var walk: FolderWalk?
  var seen = 0

  mutating func add(_ difference: Int) { present = max(0, present + difference) }

  /// Plans the next count, none if all names are known; returns true if it is due.
  mutating func plan(now: Instant, allAreKnown: Bool) -> Bool {
    guard !allAreKnown else {
      nextCount = nil
      walk = nil
      return false
    }
    let due = nextCount ?? now + Self.patience
    nextCount = due
    return due <= now
  }
}

extension SpoolWatch {
  /// The maximum number of names counted in one call.
  private static let countSlice = 1024

  /// Counts some of the names while a scan has no room to continue.
  func countUntaken() {
    guard spool.present != nil, options.group == nil else { return untaken = UntakenCount() }
    // A name does not tell if its file was sent before. So only a scan counts these files.
    guard !options.keepsFiles else { return _ = untaken.plan(now: now, allAreKnown: true) }
    let allAreKnown =
      walk == nil && newWalk == nil && newFolders.isEmpty && !scanIsWanted && nextScan > now
      && !problems.isTold(.crowded)
    guard untaken.plan(now: now, allAreKnown: allAreKnown) else { return }
    if untaken.walk == nil {
      untaken.walk = FolderWalk(from: .spool, isWhole: false, isLate: false)
      untaken.seen = 0
    }
    // Opening a directory causes an event, as in a scan.
    var folders = 0
    for _ in 0..<Self.countSlice where folders < Self.folderSlice {
      guard let walk = untaken.walk else { return }
      do throws(FileError) {
        if try step(walk) { folders += 1 }
      } catch {
        // The scan reports directories that cannot be read. The other ones are still counted.
        if walk.folder == .spool { return endCount() }
      }
    }
  }

  /// Ends a count. If not all names are known by then, they are counted again.
  func endCount() {
    (untaken.present, untaken.walk) = (untaken.seen, nil)
    untaken.nextCount = now + max(interval, UntakenCount.patience)
  }

  /// Returns false for a file that stays in the spool because of its size.
  func isToBeTaken(_ name: FileName) throws(FileError) -> Bool {
    guard !options.sizes.isUnlimited, !wanted.isSidecar(name.last.bytes) else { return true }
    return options.sizes.refusal(of: try open(Folder(of: name)).facts(of: name.last.bytes).size) == nil
  }
}
