import Jobs
import Linux
import Settings

/// The user that runs the daemon of a configuration: the rights of another user in its spools say nothing about the daemon's.
enum DaemonUser {
  /// Returns the id of the user: the owner of the state directory, or, for a configuration of the packaged service, its user.
  /// Nil if there is neither.
  static func of(_ configuration: Configuration, at path: String) -> UInt32? {
    do throws(FileError) {
      return try Directory(path: configuration.daemon.state).facts().owner
    } catch {
      guard path.hasPrefix("/etc/waybill/") else { return nil }
      return ProcessRights.user(named: "waybill")
    }
  }
}
