import Jobs
import Linux
import Synchronization

/// Claimed files of a spool that stay open from their claim or upload to their disposal, so that each is opened only once.
///
/// This only saves work: any other file is opened by its name. Their number is limited, because each needs a descriptor.
final class KeptFiles: Sendable {
  /// The open files of several spools together, and their limit.
  ///
  /// Claims may wait for hours, for a storage or a person. So the files of those that no attempt has begun get half of the room at most:
  /// the other half is for those at work. Where that half is taken, those that have waited for long make room.
  final class Room: Sendable {
    /// The time after which a claim that waits gives up its place for another one: a pause, a closed gate or a long queue holds it.
    static let patience = Duration.seconds(60)
    /// The shortest time between two looks for such claims, which go through all files.
    fileprivate static let lookEvery = Duration.seconds(10)
    /// The room of this process.
    static let ofProcess = Room(for: DescriptorPlan(DescriptorLimit.current).keptFiles)

    /// The number of files that may be kept open.
    let most: Int
    fileprivate let now: @Sendable () -> SuspendingClock.Instant
    fileprivate let contents = Mutex(Contents())

    init(for most: Int, now: @escaping @Sendable () -> SuspendingClock.Instant = { .now }) {
      self.most = most
      self.now = now
    }
  }

  fileprivate struct Key: Hashable {
    let spool: ObjectIdentifier
    let id: JobID
  }

  fileprivate struct Kept {
    let file: OpenFile
    /// The time of the claim, until an attempt uses the file.
    var waitsSince: SuspendingClock.Instant?
  }

  fileprivate struct Contents {
    var files: [Key: Kept] = [:]
    /// The number of those for which no attempt has begun.
    var waiting = 0
    var lookedAt: SuspendingClock.Instant?

    mutating func remove(_ key: Key) -> Kept? {
      let kept = files.removeValue(forKey: key)
      if kept?.waitsSince != nil { waiting -= 1 }
      return kept
    }

    /// Removes and returns the files of claims that have waited for long; none if it has just done so.
    mutating func removeLongWaiting(_ now: SuspendingClock.Instant) -> [Kept] {
      if let lookedAt, now - lookedAt < Room.lookEvery { return [] }
      lookedAt = now
      return files.filter { _, kept in kept.waitsSince.map { $0 <= now - Room.patience } ?? false }.keys.compactMap {
        remove($0)
      }
    }
  }

  private let room: Room

  init(_ room: Room = .ofProcess) { self.room = room }

  private func key(_ id: JobID) -> Key { Key(spool: ObjectIdentifier(self), id: id) }

  /// Keeps a file, if there is room.
  ///
  /// - Parameter isWaiting: true if no attempt has begun.
  func keep(_ file: OpenFile, of id: JobID, isWaiting: Bool = false) {
    let key = key(id)
    let since = isWaiting ? room.now() : nil
    let most = room.most
    // Files are closed outside of the lock.
    let closed = room.contents.withLock { contents -> [Kept] in
      if let known = contents.remove(key) {
        contents.files[key] = Kept(file: file)
        return [known]
      }
      var closed: [Kept] = []
      if let since, contents.waiting >= most / 2 || contents.files.count >= most {
        closed = contents.removeLongWaiting(since)
        guard contents.waiting < most / 2 else { return closed }
      }
      guard contents.files.count < most else { return closed }
      contents.files[key] = Kept(file: file, waitsSince: since)
      if isWaiting { contents.waiting += 1 }
      return closed
    }
    withExtendedLifetime(closed) {}
  }

  /// Returns the file of a job whose attempt begins. It stays open.
  func use(_ id: JobID) -> OpenFile? {
    let key = key(id)
    return room.contents.withLock { contents in
      guard let kept = contents.files[key] else { return nil }
      if kept.waitsSince != nil {
        contents.waiting -= 1
        contents.files[key]?.waitsSince = nil
      }
      return kept.file
    }
  }

  /// Gives the file of a claim to the id that the claim has got.
  func move(_ id: JobID, to new: JobID) {
    let (key, newKey) = (key(id), key(new))
    room.contents.withLock { contents in
      if let kept = contents.files.removeValue(forKey: key) { contents.files[newKey] = kept }
    }
  }

  /// Removes and returns the file of a job. It is closed with its last reference.
  func remove(_ id: JobID) -> OpenFile? {
    let key = key(id)
    return room.contents.withLock { $0.remove(key) }?.file
  }

  deinit {
    let spool = ObjectIdentifier(self)
    let closed = room.contents.withLock { contents in
      contents.files.keys.filter { $0.spool == spool }.compactMap { contents.remove($0) }
    }
    withExtendedLifetime(closed) {}
  }
}
