import GRDB
import LinuxFiles

extension DatabaseError {
  /// True if it failed only for lack of space, so that the same may succeed later. That is a write (SQLITE_FULL), or
  /// the growth of the file that the connections share, for which SQLite has an error of its own.
  var isForWantOfSpace: Bool {
    resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE
  }
}

extension FileError {
  /// True if a file that is no database failed because of missing space.
  var isForWantOfSpace: Bool { code == "ENOSPC" || code == "EDQUOT" }
}
