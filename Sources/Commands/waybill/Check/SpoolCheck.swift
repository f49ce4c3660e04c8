import Jobs
import Linux
import ObjectStorage
import Settings
import Spool

/// Checks the directories of a configuration's spools. If files can be claimed there, the running daemon says in its status.
enum SpoolCheck {
  /// Returns the commands that repair, for all spools and archives together, what is missing or what the unit does not let the
  /// daemon write to; empty if there is nothing. `findings` is called with each such directory.
  ///
  /// - Parameters:
  ///   - unit: the sandbox of the daemon's unit; nil if none is known.
  ///   - isOurs: true for a directory of the daemon's user.
  static func recipe(
    _ configuration: Configuration, _ unit: UnitSandbox?, _ recipe: DirectoryRecipe, isOurs: (String) -> Bool,
    findings: (_ spool: String, ProbeFinding) -> Void
  ) -> [String] {
    var commands: [String] = []
    var closed: [String] = []
    func look(_ path: String, of spool: String, _ making: [String]) {
      if !isOurs(path) {
        commands += making
        findings("spool.\(spool)", ProbeFinding(.advice, "needs \(path), which is missing or another user's"))
      }
      guard let unit, !unit.mayWrite(path), !closed.contains(path) else { return }
      closed.append(path)
      findings(
        "spool.\(spool)",
        ProbeFinding(.fault, "needs \(path), where \(unit.unit) lets the daemon not write (ReadWritePaths=)"))
    }
    for spool in configuration.spools {
      // Nothing is written where files stay.
      if !spool.keepsFiles { look(spool.path, of: spool.name, recipe.spool(spool.path)) }
      if let path = spool.archivePath { look(path, of: spool.name, recipe.archive(path)) }
    }
    guard let unit, !commands.isEmpty || !closed.isEmpty else { return commands }
    guard !closed.isEmpty else { return commands + ["systemctl reload \(unit.unit)"] }
    return commands + closed.map { UnitDropIn(path: $0).command(for: unit.unit) }
      + ["systemctl daemon-reload", "systemctl restart \(unit.unit)"]
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
