/// Directories that files were taken from, in the order in which to check whether they are empty.
///
/// Its size is limited: the first one gives way, and a later scan finds it.
struct EmptiedFolders {
  private static let limit = 4096

  private var dues: [Folder: ContinuousClock.Instant] = [:]
  private var queue: [(folder: Folder, due: ContinuousClock.Instant)] = []

  /// The time at which ``next(now:)`` returns the next directory.
  var nextDeadline: ContinuousClock.Instant? { queue.first?.due }

  /// Plans the check of a directory at this time. A directory that is already planned keeps its time.
  mutating func add(_ folder: Folder, due: ContinuousClock.Instant) {
    guard dues[folder] == nil else { return }
    if dues.count == Self.limit { dues[queue.removeFirst().folder] = nil }
    dues[folder] = due
    let index = queue.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
    queue.insert((folder, due), at: index)
  }

  /// Removes and returns the next directory that is due.
  mutating func next(now: ContinuousClock.Instant) -> Folder? {
    guard let first = queue.first, first.due <= now else { return nil }
    queue.removeFirst()
    dues[first.folder] = nil
    return first.folder
  }
}
