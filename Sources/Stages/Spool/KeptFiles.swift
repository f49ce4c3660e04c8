import Jobs
import Linux
import Synchronization

/// Claimed files of a spool that stay open from their claim or upload to their disposal, so that each is opened only once.
///
/// This only saves work: any other file is opened by its name. Their number is limited, because each needs a descriptor.
final class KeptFiles: Sendable {
  /// A limit on open files, for several spools together.
  ///
  /// Claims may wait for hours, for a storage or a person. So the files of those that no attempt has begun get half of the room at most:
  /// the other half is for those at work. Where that half is taken, those that have waited for long make room.
  final class Room: Sendable {
    /// The time after which a claim that waits gives up its place for another one: a pause, a closed gate or a long queue holds it.
    static let patience = Duration.seconds(60)
    /// The shortest time between two looks for such claims, which go through all files.
    private static let lookEvery = Duration.seconds(10)

    private struct Keepers {
      var all: [Keeper] = []
      var lookedAt: SuspendingClock.Instant?
    }

    private struct Keeper {
      weak var files: KeptFiles?
    }

    /// The limit of this process.
    static let ofProcess = Room(for: DescriptorPlan(DescriptorLimit.current).keptFiles)

    /// The number of files that may be kept open.
    let most: Int
    private let taken = Atomic(0)
    private let waiting = Atomic(0)
    private let keepers = Mutex(Keepers())
    fileprivate let now: @Sendable () -> SuspendingClock.Instant

    init(for most: Int, now: @escaping @Sendable () -> SuspendingClock.Instant = { .now }) {
      self.most = most
      self.now = now
    }

    fileprivate func add(_ files: KeptFiles) {
      keepers.withLock { keepers in
        keepers.all.removeAll { $0.files == nil }
        keepers.all.append(Keeper(files: files))
      }
    }

    /// Closes the files of claims that have waited for long, in all spools; returns false if it has just done so.
    fileprivate func closeLongWaiting() -> Bool {
      let now = now()
      let all = keepers.withLock { keepers -> [Keeper] in
        if let last = keepers.lookedAt, now - last < Self.lookEvery { return [] }
        keepers.lookedAt = now
        return keepers.all
      }
      for keeper in all { keeper.files?.closeWaiting(since: now - Self.patience) }
      return !all.isEmpty
    }

    /// Returns true if there is room for one more file.
    fileprivate func acquire(isWaiting: Bool) -> Bool {
      if isWaiting, waiting.add(1, ordering: .relaxed).newValue > most / 2 {
        waiting.subtract(1, ordering: .relaxed)
        return false
      }
      if taken.add(1, ordering: .relaxed).newValue <= most { return true }
      free(isWaiting: isWaiting)
      return false
    }

    fileprivate func free(isWaiting: Bool) {
      taken.subtract(1, ordering: .relaxed)
      if isWaiting { begin() }
    }

    /// Counts a file as one of an attempt that has begun.
    fileprivate func begin() { waiting.subtract(1, ordering: .relaxed) }
  }

  private struct Kept {
    let file: OpenFile
    /// The time of the claim, until an attempt uses the file.
    var waitsSince: SuspendingClock.Instant?

    var isWaiting: Bool { waitsSince != nil }
  }

  private let room: Room
  private let files = Mutex<[JobID: Kept]>([:])

  init(_ room: Room = .ofProcess) {
    self.room = room
    room.add(self)
  }

  /// Keeps a file, if there is room.
  ///
  /// - Parameter isWaiting: true if no attempt has begun.
  func keep(_ file: OpenFile, of id: JobID, isWaiting: Bool = false) {
    if !hasKept(file, of: id, isWaiting: isWaiting), isWaiting, room.closeLongWaiting() {
      _ = hasKept(file, of: id, isWaiting: isWaiting)
    }
  }

  private func hasKept(_ file: OpenFile, of id: JobID, isWaiting: Bool) -> Bool {
    let since = isWaiting ? room.now() : nil
    return files.withLock { files in
      if let known = files[id] {
        if known.isWaiting { room.begin() }
        files[id] = Kept(file: file)
      } else if room.acquire(isWaiting: isWaiting) {
        files[id] = Kept(file: file, waitsSince: since)
      } else {
        return false
      }
      return true
    }
  }

  /// Closes the files of claims since this time or longer for which no attempt has begun.
  private func closeWaiting(since time: SuspendingClock.Instant) {
    let old = files.withLock { files in
      let old = files.filter { _, kept in kept.waitsSince.map { $0 <= time } ?? false }
      for id in old.keys { files[id] = nil }
      return old
    }
    for _ in old { room.free(isWaiting: true) }
  }

  /// Returns the file of a job whose attempt begins. It stays open.
  func use(_ id: JobID) -> OpenFile? {
    files.withLock { files in
      guard let kept = files[id] else { return nil }
      if kept.isWaiting {
        room.begin()
        files[id]?.waitsSince = nil
      }
      return kept.file
    }
  }

  /// Gives the file of a claim to the id that the claim has got.
  func move(_ id: JobID, to new: JobID) {
    files.withLock { files in
      if let kept = files.removeValue(forKey: id) { files[new] = kept }
    }
  }

  /// Removes and returns the file of a job. It is closed with its last reference.
  func remove(_ id: JobID) -> OpenFile? {
    guard let kept = files.withLock({ $0.removeValue(forKey: id) }) else { return nil }
    room.free(isWaiting: kept.isWaiting)
    return kept.file
  }

  deinit {
    for kept in files.withLock({ $0.values }) { room.free(isWaiting: kept.isWaiting) }
  }
}
