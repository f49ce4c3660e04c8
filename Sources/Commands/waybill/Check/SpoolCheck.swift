import Jobs
import Linux
import ObjectStorage
import Settings
import Spool

/// Checks the directories of a configuration's spools. If files can be claimed there, the running daemon says in its status.
enum SpoolCheck {
  enum Owner {
    case daemon, other
    case missing
    case noDirectory
  }

  /// Returns the commands that make, for all spools and archives together, the directories that are missing or belong to others;
  /// empty if there are none. `findings` is called with each such directory.
  static func recipe(
    _ configuration: Configuration, _ recipe: DirectoryRecipe, owner: (String) -> Owner,
    findings: (_ spool: String, ProbeFinding) -> Void
  ) -> [String] {
    var commands: [String] = []
    func look(_ path: String, of spool: String, _ making: [String]) {
      switch owner(path) {
      case .daemon: return
      case .other: findings("spool.\(spool)", ProbeFinding(.advice, "needs \(path), which is another user's"))
      case .missing: findings("spool.\(spool)", ProbeFinding(.fault, "needs \(path), which is missing"))
      case .noDirectory: return findings("spool.\(spool)", ProbeFinding(.fault, "needs \(path), which is no directory"))
      }
      commands += making
    }
    for spool in configuration.spools {
      // Nothing is written where files stay, and a medium comes and goes.
      if !spool.keepsFiles { look(spool.path, of: spool.name, recipe.spool(spool.path)) }
      if let path = spool.archivePath { look(path, of: spool.name, recipe.archive(path)) }
    }
    return commands
  }

  /// Returns the owner of a directory, as seen from a user. One that this command may not look at counts as the user's.
  static func owner(of path: String, for user: UInt32) -> Owner {
    do throws(FileError) {
      let facts = try FileFacts(following: path)
      return facts.kind != .directory ? .noDirectory : facts.owner == user ? .daemon : .other
    } catch {
      return error.code == "EACCES" ? .daemon : .missing
    }
  }
}

extension Configuration {
  /// Returns the id of the user that runs the daemon, whose rights count in its spools: the owner of the state directory, or, for a
  /// configuration of the packaged service, its user. Nil if there is neither.
  func daemonUser(at path: String) -> UInt32? {
    do throws(FileError) {
      return try Directory(path: daemon.state).facts().owner
    } catch {
      return path.hasPrefix("/etc/waybill/") ? ProcessRights.user(named: "waybill") : nil
    }
  }
}
