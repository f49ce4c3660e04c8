import Synchronization

/// A spool's directory with its lock, for all that use it: a reload makes another ``SpoolDirectory`` of it, and the one before may
/// be in use a while longer. A lock that only one of them gave back would keep the daemon out of its own spool.
final class SpoolHold: Sendable {
  private struct Contents {
    var held: HeldSpool?
    var owesClaims = false
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
}
