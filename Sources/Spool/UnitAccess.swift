/// The remedies if the sandbox of a unit (systemd.exec(5)) keeps the daemon from a directory.
enum UnitAccess {
  /// The remedy for a directory that it may not write to (ProtectSystem=).
  static func toWrite(_ path: String) -> String {
    "let the unit write there: waybill spool-dropin \(path) writes the drop-in, which is [Service] ReadWritePaths=\(path)"
  }

  /// More words for a directory that is missing or closed: perhaps the unit hides it (ProtectHome=).
  static func toSee(_ path: String) -> String {
    guard homes.contains(where: { path == $0 || path.hasPrefix($0 + "/") }) else { return "" }
    return "; where the unit hides home directories, waybill spool-dropin \(path) writes the drop-in that shows it"
  }

  private static let homes = ["/home", "/root", "/run/user"]
}
