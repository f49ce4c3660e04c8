import Linux
import SQLite

/// The reason why the ledger cannot be opened or written.
package struct LedgerError: Error, Sendable, CustomStringConvertible {
  /// The kind of error, which decides what the person who runs the daemon can do about it.
  package enum Kind: Sendable {
    /// The ledger cannot be used as it is set up: exit 78.
    case configuration
    /// The ledger could not be opened or read now, but no fault is known. A later start may succeed: exit 69.
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

  package let kind: Kind
  package let words: String

  package init(_ kind: Kind, _ words: String) {
    self.kind = kind
    self.words = words
  }

  package var description: String { words }
}

extension LedgerError {
  /// Finds the kind and the words for an error of opening a ledger, after its rights were checked.
  init(opening path: String, _ error: any Error) {
    switch error {
    case let error as LedgerError: self = error
    case _ where Self.isForWantOfSpace(error): self.init(.full, "no space for the ledger \(path): \(error)")
    case let error as FileError where error.mayPass:
      self.init(.unavailable, "the ledger \(path) cannot be opened now: \(error.wordsWithRemedy)")
    case let error as SQLiteError where error.mayPass:
      self.init(
        .unavailable,
        "the ledger \(path) cannot be opened now: \(error); see if its disk has errors (journalctl -k), and if the limits of the "
          + "service are reached (LimitNOFILE=, MemoryMax=)")
    default: self.init(.configuration, "the ledger \(path) cannot be opened: \(error)")
    }
  }

  /// True for an error of a file or of SQLite that may pass although nobody changes anything.
  static func mayPass(_ error: any Error) -> Bool {
    switch error {
    case let error as FileError: error.mayPass
    case let error as SQLiteError: error.mayPass
    default: false
    }
  }

  static func isForWantOfSpace(_ error: any Error) -> Bool {
    switch error {
    case let error as FileError: ["ENOSPC", "EDQUOT"].contains(error.code)
    case let error as SQLiteError: error.isForWantOfSpace
    default: false
    }
  }
}
