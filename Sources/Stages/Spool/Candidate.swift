import Jobs
import Linux

/// The facts known about a name in the spool that is not claimed yet.
struct Candidate {
  /// The last event about the file. It decides how long the file must stay unchanged.
  enum Origin {
    /// An event told that somebody who could write closed it.
    case closed
    /// No event told of its closing.
    case unseen
    /// It was renamed into the spool.
    case renamed
    /// It was linked into the spool.
    case linked
  }

  /// A file that is ready and lacks the other one of its pair.
  enum Alone {
    /// A document without its sidecar.
    case document
    /// A sidecar without its document.
    case sidecar
  }

  /// The facts that must stay the same for a file to count as unchanged.
  struct Stillness: Equatable {
    let inode: UInt64
    let size: Int64
    let modified: Int64
    let changed: Int64

    init(_ facts: FileFacts) {
      inode = facts.inode
      size = facts.size
      modified = facts.modified
      changed = facts.changed
    }
  }

  var origin: Origin
  /// True if it is to be claimed as soon as there is room, unless somebody is found writing it then.
  var isReady = false
  var openers: Openers
  /// The facts at the last look; nil if nobody has looked since the last write.
  var stillness: Stillness?
  /// The time since which nothing about it has changed, as far as is known.
  var stillSince: ContinuousClock.Instant
  /// The time since which somebody may have it open.
  var suspectSince: ContinuousClock.Instant
  /// The time at which to look at it again; nil while it is ready, and for a sidecar that waits for its document.
  var due: ContinuousClock.Instant?
  /// The time since which it has been settling.
  var since: ContinuousClock.Instant
  /// True if it waits for `settle_open`, since nobody can tell if it is open.
  var isUncertain = false
  /// True if a lease found it open for writing when it was last asked about.
  var isOpen = false
  /// True if it was not there at the last look.
  var isMissing = false
  /// The file that it waits for, once it is ready itself.
  var alone: Alone?
  /// True if its long settling has been reported.
  var isMentioned = false

  init(_ origin: Origin, _ openers: Openers, now: ContinuousClock.Instant) {
    self.origin = origin
    self.openers = openers
    stillSince = now
    suspectSince = now
    since = now
  }

  /// Applies an event to its openers.
  mutating func hear(now: ContinuousClock.Instant, _ change: (inout Openers) -> Void) {
    let wasSuspect = openers.mayWrite
    change(&openers)
    if !wasSuspect { suspectSince = now }
  }
}
