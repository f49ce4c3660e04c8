import Jobs
import Linux
import Synchronization

/// Claimed files of a spool that stay open from their upload until they are disposed of, so that they are opened once.
///
/// It only saves work: a file that is not among them is opened by its name. There are few of them, since each takes a
/// descriptor, and keeps its blocks on the disk if a person removes it.
final class KeptFiles: Sendable {
  /// The room for files that several spools share.
  final class Room: Sendable {
    /// The room of this process: a part of the descriptors that it may have.
    static let ofProcess = Room(for: 256)

    private let most: Int
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

  /// Takes out the file of a job; it closes with the last reference.
  func remove(_ id: JobID) -> OpenFile? {
    let file = files.withLock { $0.removeValue(forKey: id) }
    if file != nil { room.free(1) }
    return file
  }

  deinit { room.free(files.withLock { $0.count }) }
}
