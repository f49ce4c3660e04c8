import Jobs
import Linux
import Synchronization

/// The directory and lock of a spool, for all instances that use it. A reload creates another ``SpoolDirectory`` from the current
/// one, which may stay in use for a while. Both need the same lock: if only one of them released it, the daemon would lock itself
/// out of its own spool.
///
/// The lock is released when the last user is gone. ``SpoolDirectory/init(_:joining:wallClock:on:)`` shows whether there is still
/// a user.
public final class SpoolLock: Sendable {
  private struct Contents {
    var held: LockedSpool?
    var owesClaims = false
    var mustReadAll = false
    /// The state that the last run has left for the next one.
    var remains: Remains?
    /// The number of users.
    var users = 1
  }

  private let contents = Mutex(Contents())

  /// The directory that is held; nil while it has disappeared.
  var held: LockedSpool? {
    get { contents.withLock { $0.held } }
    set {
      // The old value is closed outside of the lock.
      let last = contents.withLock { exchange(&$0.held, with: newValue) }
      withExtendedLifetime(last) {}
    }
  }

  /// True if the claimed files could not be read, so that the run has to hand them over.
  var owesClaims: Bool {
    get { contents.withLock { $0.owesClaims } }
    set { contents.withLock { $0.owesClaims = newValue } }
  }

  /// True if every claimed file must be read before the jobs continue, because it is not known what was sent.
  var mustReadAll: Bool {
    get { contents.withLock { $0.mustReadAll } }
    set { contents.withLock { $0.mustReadAll = newValue } }
  }

  /// Keeps the state of a run that has ended.
  func leave(_ remains: Remains) { contents.withLock { $0.remains = remains } }

  /// Removes and returns the state that the last run has left.
  func removeRemains() -> Remains? { contents.withLock { $0.remains.take() } }

  /// True if anybody uses it.
  public var isUsed: Bool { contents.withLock { $0.users > 0 } }

  /// Adds a user. Returns false if there is no user left, and so no lock.
  func join() -> Bool {
    contents.withLock { contents in
      guard contents.users > 0 else { return false }
      contents.users += 1
      return true
    }
  }

  /// Removes a user. With the last one, the directory is closed before this returns and before ``isUsed`` or ``join()`` can be
  /// called.
  func release() {
    contents.withLock { contents in
      contents.users -= 1
      if contents.users == 0 { (contents.held, contents.remains) = (nil, nil) }
    }
  }
}

/// The state that one run of a spool leaves at its end for the next run with other options.
struct Remains: Sendable {
  let candidates: Candidates
  /// The inotify instance, which collects events between the runs.
  let inotify: Inotify?
  let tree: WatchTree
  let scans: Int
  let newFolders: NewFolders
  let isRemote: Bool
  let isPartlyWatched: Bool
  let scanIsLate: Bool
  /// The options of the run that has ended.
  let options: SpoolOptions
}
