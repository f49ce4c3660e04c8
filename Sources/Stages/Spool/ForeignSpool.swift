public import Linux

/// A spool as those see it who do not serve it.
public enum ForeignSpool {
  /// Returns true if a directory is a spool that a running daemon holds. One that may not be looked into counts as held: the daemon of
  /// another user keeps its own closed, and takes what droppers put beside it.
  public static func isHeld(in directory: Directory) -> Bool {
    do throws(FileError) {
      return try FileLock.isHeld(in: try directory.directory(LockedSpool.claimsName), LockedSpool.lockName)
    } catch {
      return error.code == "EACCES"
    }
  }
}
