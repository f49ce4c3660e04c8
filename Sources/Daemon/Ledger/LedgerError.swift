/// The reason why the ledger cannot be opened or written.
public struct LedgerError: Error, Sendable, CustomStringConvertible {
  /// The kind of error, which decides what the person who runs the daemon can do about it.
  public enum Kind: Sendable {
    /// The ledger cannot be used as it is set up: exit 78.
    case configuration
    /// It could not be opened or read now, but no fault is known. A later start may succeed: exit 69.
    case unavailable
    /// Another daemon has it: exit 78, with the other's pid.
    case inUse
    /// A write or fsync failed, so that nothing in memory can be trusted any more: exit 74.
    case broken
    /// The ledger no longer contains what was written to it: exit 74. The next start puts it aside and creates a new one.
    case damaged
    /// The disk is full; the same write may succeed later.
    case full
  }

  /// The kind of error.
  public let kind: Kind
  /// The error in words, with the file.
  public let words: String

  /// Creates an error with its words.
  public init(_ kind: Kind, _ words: String) {
    self.kind = kind
    self.words = words
  }

  /// The words.
  public var description: String { words }
}
