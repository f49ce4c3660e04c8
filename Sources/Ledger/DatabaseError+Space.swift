import GRDB
import LinuxFiles

extension DatabaseError {
  /// True if it failed only because of missing space, so that the same may succeed later: a write (SQLITE_FULL), or the growing
  /// of the file that the connections share, which SQLite reports as an error of its own.
  var isForWantOfSpace: Bool {
    resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE
  }
}

extension FileError {
  /// True if a file that is no database failed because of missing space.
  var isForWantOfSpace: Bool { code == "ENOSPC" || code == "EDQUOT" }
}
