/// Why the ledger cannot be opened or written.
public struct LedgerError: Error, Sendable, CustomStringConvertible {
  /// What the person who runs the daemon can do about it.
  public enum Kind: Sendable {
    /// The ledger cannot be used as it is set up: exit 78.
    case configuration
    /// Another daemon has it: exit 78, with the other's pid.
    case inUse
    /// A write or fsync failed, so that nothing in memory may be trusted any more: exit 74.
    case broken
    /// It does not say any more what was written to it: exit 74. The next start puts it aside and builds a new one.
    case damaged
    /// The disk is full; the same write may succeed later.
    case full
  }

  /// What can be done about it.
  public let kind: Kind
  /// What happened to which file.
  public let words: String

  /// An error with its words.
  public init(_ kind: Kind, _ words: String) {
    self.kind = kind
    self.words = words
  }

  /// The words.
  public var description: String { words }
}
