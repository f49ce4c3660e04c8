/// Remedies for the case that the sandbox of a unit (systemd.exec(5)) denies the daemon a directory.
enum UnitAccess {
  /// The remedy for a directory that the daemon may not write to (ProtectSystem=).
  static func toWrite(_ path: String) -> String {
    "let the unit write there by a drop-in with [Service] ReadWritePaths=\(path): waybill check prints the commands"
  }

  /// The reason why a directory that only the service sees is not used.
  static let isOfServiceAlone =
    "the service has a directory of its own there (PrivateTmp=), which nobody else sees and which goes with it: use another one"

  /// An addition to the remedy for a directory that is missing or closed: the unit may hide it (ProtectHome=, PrivateTmp=).
  static func toSee(_ path: String) -> String {
    if temporary.contains(where: { path == $0 || path.hasPrefix($0 + "/") }) {
      return
        "; a unit with PrivateTmp= has a \(path.hasPrefix("/var") ? "/var/tmp" : "/tmp") of its own: use a directory elsewhere"
    }
    guard homes.contains(where: { path == $0 || path.hasPrefix($0 + "/") }) else { return "" }
    return "; where the unit hides home directories, waybill check prints the drop-in that shows it"
  }

  private static let temporary = ["/tmp", "/var/tmp"]
  private static let homes = ["/home", "/root", "/run/user"]
}
