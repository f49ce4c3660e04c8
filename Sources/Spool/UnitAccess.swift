/// What to do where the sandbox of a unit (systemd.exec(5)) keeps the daemon from a directory.
enum UnitAccess {
  /// Where it may not write (ProtectSystem=).
  static func toWrite(_ path: String) -> String {
    "let the unit write there: waybill spool-dropin \(path) writes the drop-in, which is [Service] ReadWritePaths=\(path)"
  }

  /// Further words for a directory that is missing or closed: it may be one that the unit hides (ProtectHome=).
  static func toSee(_ path: String) -> String {
    guard homes.contains(where: { path == $0 || path.hasPrefix($0 + "/") }) else { return "" }
    return "; where the unit hides home directories, waybill spool-dropin \(path) writes the drop-in that shows it"
  }

  private static let homes = ["/home", "/root", "/run/user"]
}
