import Jobs
import LinuxFiles

/// What is known of a name in the spool that is not claimed yet.
struct Candidate {
  /// What was last heard of it. It says how long the file has to be still.
  enum Origin {
    /// Its closing by somebody who could write was heard.
    case closed
    /// Nothing was heard of its closing.
    case unseen
    /// It was renamed into the spool.
    case renamed
    /// It was linked into the spool.
    case linked
  }

  /// What has to stay the same for a file to count as still.
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
  /// Whether it is to be claimed as soon as there is room, if nobody is found writing then.
  var isReady = false
  var openers: Openers
  /// The facts at the last look; nil where there was none since the last write.
  var stillness: Stillness?
  /// Since when nothing of it has changed, as far as is known.
  var stillSince: ContinuousClock.Instant
  /// Since when somebody may have it open.
  var suspectSince: ContinuousClock.Instant
  /// When it is to be looked at again; nil while it is ready.
  var due: ContinuousClock.Instant?
  /// Since when it has been settling.
  var since: ContinuousClock.Instant
  /// Whether it waits for `settle_open`, since nobody can tell if it is open.
  var isUncertain = false
  /// Whether it was not there at the last look.
  var isMissing = false
  /// Whether it was said that it takes long.
  var isMentioned = false

  init(_ origin: Origin, _ openers: Openers, now: ContinuousClock.Instant) {
    self.origin = origin
    self.openers = openers
    stillSince = now
    suspectSince = now
    since = now
  }

  /// Takes in what was heard of its openers.
  mutating func hear(now: ContinuousClock.Instant, _ change: (inout Openers) -> Void) {
    let wasSuspect = openers.mayWrite
    change(&openers)
    if !wasSuspect { suspectSince = now }
  }
}
