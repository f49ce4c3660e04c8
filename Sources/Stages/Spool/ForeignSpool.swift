public import Linux

/// A spool as those see it who do not serve it.
public enum ForeignSpool {
  /// Returns true if a directory is a spool that a running daemon holds. A lock that cannot be looked at counts for nothing: who has no
  /// right to look at it has none to put a file there either.
  public static func isHeld(in directory: Directory) -> Bool {
    guard let claims = try? directory.directory(LockedSpool.claimsName) else { return false }
    return (try? FileLock.isHeld(in: claims, LockedSpool.lockName)) ?? false
  }
}
