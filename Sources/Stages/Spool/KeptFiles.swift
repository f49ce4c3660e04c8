import Jobs
import Linux
import Synchronization

/// Claimed files of a spool that stay open from their upload to their disposal, so that each is opened only once.
///
/// This only saves work: any other file is opened by its name. Their number is limited, because each needs a descriptor.
final class KeptFiles: Sendable {
  /// A limit on open files, for several spools together.
  final class Room: Sendable {
    /// The limit of this process.
    static let ofProcess = Room(for: most(ofDescriptors: OpenFile.mostDescriptors))

    /// Returns the limit for a process that may have this number of descriptors: a quarter of them, because requests, connections and
    /// the ledger need theirs, and no more than the attempts and disposals that can be under way.
    static func most(ofDescriptors descriptors: Int) -> Int { min(2048, descriptors / 4) }

    /// The number of files that may be kept open.
    let most: Int
    private let taken = Atomic(0)

    init(for most: Int) { self.most = most }

    fileprivate func acquire() -> Bool {
      if taken.add(1, ordering: .relaxed).newValue <= most { return true }
      free(1)
      return false
    }

    fileprivate func free(_ count: Int) { taken.subtract(count, ordering: .relaxed) }
  }

  private let room: Room
  private let files = Mutex<[JobID: OpenFile]>([:])

  init(_ room: Room = .ofProcess) { self.room = room }

  /// Keeps a file, if there is room.
  func keep(_ file: OpenFile, of id: JobID) {
    files.withLock { files in
      if files[id] != nil || room.acquire() { files[id] = file }
    }
  }

  /// Removes and returns the file of a job. It is closed with its last reference.
  func remove(_ id: JobID) -> OpenFile? {
    let file = files.withLock { $0.removeValue(forKey: id) }
    if file != nil { room.free(1) }
    return file
  }

  deinit { room.free(files.withLock { $0.count }) }
}
