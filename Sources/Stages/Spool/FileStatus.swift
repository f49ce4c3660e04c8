public import Linux
public import Messages

/// The reason why a file in a spool is not claimed, or not yet, in words for the person who waits for it.
public struct FileStatus: Hashable, Sendable {
  /// The kind of reason, as named in the control interface.
  public enum Reason: String, Sendable, CaseIterable {
    /// There is no such file.
    case missing
    /// Its name, or that of a directory above it, begins with a dot.
    case hidden
    /// Its name, or that of a directory above it, matches a pattern of `ignore`.
    case ignored
    /// Its name does not match the expression of `match`.
    case unmatched
    /// It is below a spool that is not recursive.
    case notRecursive = "not-recursive"
    /// Its path is longer than the daemon searches.
    case tooDeep = "too-deep"
    /// It is on another file system than its spool.
    case otherFileSystem = "other-file-system"
    /// It is a directory.
    case directory
    /// It is a symbolic link, or behind one.
    case symbolicLink = "symbolic-link"
    /// It is a FIFO, a socket or a device.
    case notAFile = "not-a-file"
    /// The daemon lacks a right that it needs to see it, or to take it.
    case refused
    /// The spool's directory has disappeared.
    case lost
    /// A program has it open for writing.
    case open
    /// A program may have it open, and the daemon cannot find out.
    case uncertain
    /// It must still stay unchanged for a while.
    case settling
    /// The spool's watch has not seen it yet; a scan will.
    case unseen
    /// It is a document, and its sidecar has not arrived.
    case awaitingSidecar = "awaiting-sidecar"
    /// It is a sidecar, and its document has not arrived.
    case awaitingDocument = "awaiting-document"
    /// It is a group, and its marker is not there.
    case incomplete
    /// It is a file in a spool of groups.
    case looseFile = "loose-file"
    /// It was sent, or is a job's, and stays where it is.
    case kept
    /// Nothing is wrong with it: it is taken as soon as there is room.
    case ready

    /// True if the file stays in the spool until somebody changes it or the configuration.
    public var isLasting: Bool {
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

  /// The kind of reason.
  public var reason: Reason
  /// The reason as a sentence about the file, without a full stop: `it matches …`.
  public var message: Message
  /// The thing to do about it; nil if there is none.
  public var advice: Message?
  /// The time until the file is claimed or checked again, if nothing happens to it; nil if that does not depend on time.
  public var left: Duration?
  /// The facts of the file, if it is one.
  public var facts: FileFacts?

  init(_ reason: Reason, _ message: Message, remedy: Message? = nil, left: Duration? = nil, facts: FileFacts? = nil) {
    self.reason = reason
    self.message = message
    self.advice = remedy
    self.left = left
    self.facts = facts
  }
}
