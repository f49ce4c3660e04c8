import Jobs
import Linux
import ObjectStorage
import Settings
import Spool

/// Checks the directories of a configuration's spools. If files can be claimed there, the running daemon says in its status.
enum SpoolCheck {
  /// Returns the commands that make, for all spools and archives together, the directories that are missing or belong to others;
  /// empty if there are none. `findings` is called with each such directory.
  ///
  /// - Parameter isOurs: true for a directory of the daemon's user.
  static func recipe(
    _ configuration: Configuration, _ recipe: DirectoryRecipe, isOurs: (String) -> Bool,
    findings: (_ spool: String, ProbeFinding) -> Void
  ) -> [String] {
    var commands: [String] = []
    func look(_ path: String, of spool: String, _ making: [String]) {
      guard !isOurs(path) else { return }
      commands += making
      findings("spool.\(spool)", ProbeFinding(.advice, "needs \(path), which is missing or another user's"))
    }
    for spool in configuration.spools {
      // Nothing is written where files stay.
      if !spool.keepsFiles { look(spool.path, of: spool.name, recipe.spool(spool.path)) }
      if let path = spool.archivePath { look(path, of: spool.name, recipe.archive(path)) }
    }
    return commands
  }

  /// Returns true if a directory belongs to a user. One that this command may not look at counts as such.
  static func belongs(_ path: String, to user: UInt32) -> Bool {
    do throws(FileError) {
      return try FileFacts(following: path).owner == user
    } catch {
      return error.code == "EACCES"
    }
  }
}

extension Configuration {
  /// Returns the id of the user that runs the daemon, whose rights count in its spools: the owner of the state directory, or, for a
  /// configuration of the packaged service, its user. Nil if there is neither.
  ///
  /// - Parameter path: that of the configuration.
  func daemonUser(at path: String) -> UInt32? {
    do throws(FileError) {
      return try Directory(path: daemon.state).facts().owner
    } catch {
      return path.hasPrefix("/etc/waybill/") ? ProcessRights.user(named: "waybill") : nil
    }
  }
}
