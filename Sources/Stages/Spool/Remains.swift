import Jobs
import Linux
import Synchronization

/// The knowledge of one run of a spool at its end, for the next run with other options.
struct Remains: Sendable {
  let candidates: Candidates
  /// The watch, which collects events while nobody runs.
  let inotify: Inotify?
  let tree: WatchTree
  let scans: Int
  let newFolders: [NewFolder]
  let isRemote: Bool
  let isPartlyWatched: Bool
  let scanIsLate: Bool
  let recursive: Bool
  let isOfGroups: Bool
  let watch: SpoolOptions.Watch
}

/// The place where one run leaves its knowledge and the next one finds it.
final class RemainsPlace: Sendable {
  private let remains = Mutex<Remains?>(nil)

  func store(_ remains: Remains) { self.remains.withLock { $0 = remains } }

  func remove() -> Remains? { remains.withLock { $0.take() } }
}
