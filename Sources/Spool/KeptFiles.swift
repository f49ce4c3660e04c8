import Jobs
import LinuxFiles
import Synchronization

/// Claimed files that stay open from their upload until they are disposed of, so that they are opened once.
///
/// It only saves work: a file that is not among them is opened by its name. There are few of them, since each takes a
/// descriptor, and keeps its blocks on the disk if a person removes it.
final class KeptFiles: Sendable {
  /// The most files that all spools together keep open.
  static let limit = 256
  private static let open = Atomic(0)

  private let files = Mutex<[JobID: OpenFile]>([:])

  /// Keeps a file, if there is room.
  func keep(_ file: OpenFile, of id: JobID) {
    files.withLock { files in
      if files[id] == nil {
        guard Self.open.add(1, ordering: .relaxed).newValue <= Self.limit else {
          Self.open.subtract(1, ordering: .relaxed)
          return
        }
      }
      files[id] = file
    }
  }

  /// Takes out the file of a job; it closes with the last reference.
  func take(_ id: JobID) -> OpenFile? {
    let file = files.withLock { $0.removeValue(forKey: id) }
    if file != nil { Self.open.subtract(1, ordering: .relaxed) }
    return file
  }

  deinit {
    let left = files.withLock { $0.count }
    Self.open.subtract(left, ordering: .relaxed)
  }
}
