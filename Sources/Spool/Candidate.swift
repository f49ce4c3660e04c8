import Jobs
import LinuxFiles

/// What is known of a name in the spool that is not claimed yet.
struct Candidate {
  /// How far it is from being ready. A rename or a link into the spool makes it `ready` at once.
  enum Standing {
    /// Made, and nothing more seen yet: linked in, or its opening comes next. Counts as `unseen` meanwhile.
    case made
    /// Made by an opening, not written to yet. Waits for the closing.
    case opened
    /// Seen being written. Waits for the closing, however long.
    case written
    /// Its closing was seen. Waits until it has been still for `settle`.
    case closed
    /// Nothing was seen of its writing. Waits until it has been still for `settleUnseen`.
    case unseen
    /// To be claimed as soon as there is room.
    case ready

    /// Whether it waits for a closing.
    var waitsForClosing: Bool { self == .opened || self == .written }
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

  var standing: Standing
  /// The facts at the last look; nil where they do not matter.
  var stillness: Stillness?
  /// When it is to be looked at again; nil while it waits for an event, for a scan or for room.
  var due: ContinuousClock.Instant?
  /// Since when it has been settling.
  var since: ContinuousClock.Instant
  /// Whether it was opened, and that opening's closing is still to come.
  var isOpen = false
  /// Whether it was written to while it was open, so that it is the writer's closing that is still to come.
  var hasWriter = false
  /// Whether it was said that it takes long.
  var isMentioned = false
}
