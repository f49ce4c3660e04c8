package import Linux
package import Messages

/// The reason why a file in a spool is not claimed, or not yet, in words for the person who waits for it.
package struct FileStatus: Hashable, Sendable {
  /// The kind of reason, as named in the control interface.
  package enum Reason: String, Sendable, CaseIterable {
    case missing
    /// Its name, or that of a directory above it, begins with a dot.
    case hidden
    /// Its name, or that of a directory above it, matches a pattern of `ignore`.
    case ignored
    case unmatched
    case notRecursive = "not-recursive"
    /// Its path is longer than the daemon searches.
    case tooDeep = "too-deep"
    case otherFileSystem = "other-file-system"
    case directory
    case symbolicLink = "symbolic-link"
    case notAFile = "not-a-file"
    /// The daemon lacks a right that it needs to see it, or to take it.
    case refused
    /// The spool's directory has disappeared.
    case lost
    case open
    /// A program may have it open, and the daemon cannot find out.
    case uncertain
    case settling
    /// The spool's watch has not seen it yet; a scan will.
    case unseen
    case awaitingSidecar = "awaiting-sidecar"
    case awaitingDocument = "awaiting-document"
    case incomplete
    /// It is a file in a spool of groups.
    case looseFile = "loose-file"
    /// It was sent, or is a job's, and stays where it is.
    case kept
    /// Nothing is wrong with it: it is taken as soon as there is room.
    case ready

    /// True if the file stays in the spool until somebody changes it or the configuration.
    package var isLasting: Bool {
      switch self {
      case .hidden, .ignored, .unmatched, .notRecursive, .tooDeep, .otherFileSystem, .directory, .symbolicLink,
        .notAFile, .looseFile, .kept:
        true
      case .missing, .refused, .lost, .open, .uncertain, .settling, .unseen, .awaitingSidecar, .awaitingDocument,
        .incomplete, .ready:
        false
      }
    }
  }

  package var reason: Reason
  /// The reason as a sentence about the file, without a full stop: `it matches …`.
  package var message: Message
  package var advice: Message?
  /// The time until the file is claimed or checked again, if nothing happens to it; nil if that does not depend on time.
  package var left: Duration?
  package var facts: FileFacts?

  init(_ reason: Reason, _ message: Message, remedy: Message? = nil, left: Duration? = nil, facts: FileFacts? = nil) {
    self.reason = reason
    self.message = message
    self.advice = remedy
    self.left = left
    self.facts = facts
  }
}
