import LinuxFiles
import Synchronization

/// What a run of a spool knew when it ended: for the run that follows by other options.
struct Remains: Sendable {
  let candidates: Candidates
  /// The watch, which goes on hearing while nobody runs.
  let inotify: Inotify?
  let tree: WatchTree
  let scans: Int
  let newFolders: [NewFolder]
  let isRemote: Bool
  let isPartlyWatched: Bool
  let scanIsLate: Bool
  let recursive: Bool
  let watch: SpoolOptions.Watch
}

/// Where one run leaves what it knew, and the next one finds it.
final class RemainsPlace: Sendable {
  private let remains = Mutex<Remains?>(nil)

  func leave(_ remains: Remains) { self.remains.withLock { $0 = remains } }

  func take() -> Remains? { remains.withLock { $0.take() } }
}
