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
  /// the other half is for those at work.
  final class Room: Sendable {
    /// The limit of this process.
    static let ofProcess = Room(for: most(ofDescriptors: OpenFile.mostDescriptors))

    /// Returns the limit for a process that may have this number of descriptors: a quarter of them, because requests, connections and
    /// the ledger need theirs, and no more than the attempts and disposals that can be under way.
    static func most(ofDescriptors descriptors: Int) -> Int { min(2048, descriptors / 4) }

    /// The number of files that may be kept open.
    let most: Int
    private let taken = Atomic(0)
    private let waiting = Atomic(0)

    init(for most: Int) { self.most = most }

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
    /// True until an attempt uses it.
    var isWaiting: Bool
  }

  private let room: Room
  private let files = Mutex<[JobID: Kept]>([:])

  init(_ room: Room = .ofProcess) { self.room = room }

  /// Keeps a file, if there is room.
  ///
  /// - Parameter isWaiting: true if no attempt has begun.
  func keep(_ file: OpenFile, of id: JobID, isWaiting: Bool = false) {
    files.withLock { files in
      if let known = files[id] {
        if known.isWaiting { room.begin() }
        files[id] = Kept(file: file, isWaiting: false)
      } else if room.acquire(isWaiting: isWaiting) {
        files[id] = Kept(file: file, isWaiting: isWaiting)
      }
    }
  }

  /// Returns the file of a job whose attempt begins. It stays open.
  func use(_ id: JobID) -> OpenFile? {
    files.withLock { files in
      guard let kept = files[id] else { return nil }
      if kept.isWaiting {
        room.begin()
        files[id]?.isWaiting = false
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
