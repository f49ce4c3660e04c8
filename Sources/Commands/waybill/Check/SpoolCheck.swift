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

  /// Returns the commands that make the directories that are missing or belong to others, for all spools and archives together.
  ///
  /// - Parameter isOurs: true for a directory of the daemon's user. Ignored: one that cannot be examined.
  static func recipe(
    _ configuration: Configuration, _ recipe: DirectoryRecipe = DirectoryRecipe(),
    isOurs: (String) -> Bool = { (try? FileFacts(following: $0).owner) == ProcessRights.user }
  ) -> [String] {
    configuration.spools.flatMap { spool -> [String] in
      // Nothing is written where files stay.
      let commands = spool.keepsFiles || isOurs(spool.path) ? [] : recipe.spool(spool.path)
      guard let archive = spool.archivePath, !isOurs(archive) else { return commands }
      return commands + recipe.archive(archive)
    }
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
