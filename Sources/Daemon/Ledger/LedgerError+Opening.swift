import Linux
import SQLite

extension LedgerError {
  /// Finds the kind and the words for an error at the opening of a ledger, after its permissions were checked.
  init(opening path: String, _ error: any Error) {
    switch error {
    case let error as LedgerError: self = error
    case let error as SQLiteError where error.isForWantOfSpace:
      self.init(.full, "no space for the ledger \(path): \(error)")
    case let error as FileError where error.isForWantOfSpace:
      self.init(.full, "no space for the ledger \(path): \(error)")
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

  /// True for an error of a file or of SQLite that may pass by itself.
  static func mayPass(_ error: any Error) -> Bool {
    switch error {
    case let error as FileError: error.mayPass
    case let error as SQLiteError: error.mayPass
    default: false
    }
  }
}

extension FileError {
  /// True if a file other than the database failed for lack of space.
  var isForWantOfSpace: Bool { code == "ENOSPC" || code == "EDQUOT" }
}
