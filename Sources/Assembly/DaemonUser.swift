import LinuxFiles
public import Settings

/// The user that a daemon of a configuration runs as: what another user may do in its spools says nothing of it.
public enum DaemonUser {
  /// The user by its id: the owner of the state directory, else, for a configuration of the packaged service, its user.
  /// Nil where neither is there.
  public static func of(_ configuration: Configuration, at path: String) -> UInt32? {
    do throws(FileError) {
      return try Directory(path: configuration.daemon.state).facts().owner
    } catch {
      guard path.hasPrefix("/etc/waybill/") else { return nil }
      return ProcessRights.user(named: "waybill")
    }
  }
}
