/// Directories that files went from, in the order in which it is time to see whether they are empty.
///
/// Bounded: one that does not fit is found by a scan.
struct EmptiedFolders {
  private static let limit = 4096

  private var dues: [Folder: ContinuousClock.Instant] = [:]
  private var queue: [(folder: Folder, due: ContinuousClock.Instant)] = []

  /// When ``next(now:)`` has something to give.
  var nextDeadline: ContinuousClock.Instant? { queue.first?.due }

  /// Puts a directory off until then; the earliest of several times counts.
  mutating func note(_ folder: Folder, due: ContinuousClock.Instant) {
    guard dues[folder] == nil, dues.count < Self.limit else { return }
    dues[folder] = due
    let index = queue.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
    queue.insert((folder, due), at: index)
  }

  /// Takes out the next one that is due.
  mutating func next(now: ContinuousClock.Instant) -> Folder? {
    guard let first = queue.first, first.due <= now else { return nil }
    queue.removeFirst()
    dues[first.folder] = nil
    return first.folder
  }
}
