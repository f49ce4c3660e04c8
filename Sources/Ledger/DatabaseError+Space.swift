import GRDB
import LinuxFiles

extension DatabaseError {
  /// Whether nothing but want of space made it fail, so that the same may succeed later: a write (SQLITE_FULL), or the
  /// growing of the file that the connections share, which SQLite reports as an error of its own.
  var isForWantOfSpace: Bool {
    resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE
  }
}

extension FileError {
  /// The same of a file that is no database.
  var isForWantOfSpace: Bool { code == "ENOSPC" || code == "EDQUOT" }
}
