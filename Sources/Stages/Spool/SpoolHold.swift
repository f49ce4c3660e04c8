import Synchronization

/// A spool's directory with its lock, for all that use it: a reload makes another ``SpoolDirectory`` of it, and the one before may
/// be in use a while longer. A lock that only one of them gave back would keep the daemon out of its own spool.
///
/// It gives the lock back when the last of them goes. Whoever keeps it finds out by ``SpoolDirectory/init(_:joining:wallClock:on:)``
/// if one is still there.
public final class SpoolHold: Sendable {
  private struct Contents {
    var held: HeldSpool?
    var owesClaims = false
    var mustReadAll = false
    /// The number of those that use it.
    var users = 1
  }

  private let contents = Mutex(Contents())

  /// The directory that is held; nil while it has disappeared, or another host holds a shared one.
  var held: HeldSpool? {
    get { contents.withLock { $0.held } }
    set {
      // The last one is closed once nobody waits for this.
      let last = contents.withLock { exchange(&$0.held, with: newValue) }
      withExtendedLifetime(last) {}
    }
  }

  /// True if what is claimed in it could not be read, so that the run hands it over.
  var owesClaims: Bool {
    get { contents.withLock { $0.owesClaims } }
    set { contents.withLock { $0.owesClaims = newValue } }
  }

  /// True if every file that is claimed in it must be read before the jobs go on, because nobody knows what was sent.
  var mustReadAll: Bool {
    get { contents.withLock { $0.mustReadAll } }
    set { contents.withLock { $0.mustReadAll = newValue } }
  }

  /// True if anybody uses it.
  public var isUsed: Bool { contents.withLock { $0.users > 0 } }

  /// Counts one more user. Returns false if there was none any more, and so no lock.
  func join() -> Bool {
    contents.withLock { contents in
      guard contents.users > 0 else { return false }
      contents.users += 1
      return true
    }
  }

  /// Counts one user less. The last one closes the directory before this returns, and before anybody can ask.
  func release() {
    contents.withLock { contents in
      contents.users -= 1
      if contents.users == 0 { contents.held = nil }
    }
  }
}
