import Jobs
import Linux
import ObjectStorage
import Settings
import Spool

/// Checks the spools of a configuration, as the daemon does at its start.
enum SpoolCheck {
  /// Checks each spool, and reports on each as soon as it has been checked.
  static func run(_ configuration: Configuration, _ report: inout FindingReport) {
    for spool in configuration.spools { report.add("spool.\(spool.name)", findings(SpoolTrial(spool), of: spool)) }
  }

  /// Returns the commands that repair, for all spools and archives together, what is missing or what the unit does not let the
  /// daemon write to; empty if there is nothing. `findings` is called with each directory that the unit does not let it write to.
  ///
  /// - Parameters:
  ///   - unit: the sandbox of the daemon's unit; nil if none is known.
  ///   - isOurs: true for a directory of the daemon's user. Ignored: one that cannot be examined.
  static func recipe(
    _ configuration: Configuration, _ unit: UnitSandbox?, _ recipe: DirectoryRecipe = DirectoryRecipe(),
    isOurs: (String) -> Bool = { (try? FileFacts(following: $0).owner) == ProcessRights.user },
    findings: (_ spool: String, ProbeFinding) -> Void
  ) -> [String] {
    var commands: [String] = []
    var closed: [String] = []
    func look(_ path: String, of spool: String, _ making: [String]) {
      if !isOurs(path) { commands += making }
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

  private static func findings(_ trial: SpoolTrial, of spool: SpoolOptions) -> [ProbeFinding] {
    let findings =
      trial.faults.map { ProbeFinding(.fault, words($0)) } + trial.advice.map { ProbeFinding(.advice, words($0)) }
    guard trial.faults.isEmpty else { return findings }
    let fits =
      trial.isInUse
      ? "is in use by a daemon, and can be read"
      : spool.keepsFiles
        ? "can be opened, read and watched; its files stay there"
        : "can be opened, read and watched, and files can be claimed in it"
    return [ProbeFinding(.fits, fits)] + findings
  }

  private static func words(_ problem: SpoolProblem) -> String {
    problem.reason + (problem.remedy.isEmpty ? "" : "; \(problem.remedy)")
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
