import Linux

extension FileError {
  /// True if a file that is no database failed because of missing space.
  var isForWantOfSpace: Bool { code == "ENOSPC" || code == "EDQUOT" }
}
