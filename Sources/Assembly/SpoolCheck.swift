public import ObjectStorage
public import Settings
import Spool

/// Checks the spools of a configuration, as the daemon does at its start.
public enum SpoolCheck {
  /// Checks each spool; calls `tell` for each as soon as it has been checked.
  public static func run(_ configuration: Configuration, tell: (_ spool: String, [ProbeFinding]) -> Void) {
    for spool in configuration.spools { tell("spool.\(spool.name)", findings(spool)) }
  }

  private static func findings(_ spool: SpoolSettings) -> [ProbeFinding] {
    var archive: String?
    if case .archive(let path) = spool.after { archive = path }
    let trial = SpoolTrial(SpoolOptions(spool), archive: archive, isArchiveListed: spool.archiveKeep != nil)
    let findings =
      trial.faults.map { ProbeFinding(.fault, words($0)) } + trial.advice.map { ProbeFinding(.advice, words($0)) }
    guard trial.faults.isEmpty else { return findings }
    let fits =
      trial.isInUse
      ? "is in use by a daemon, and can be read" : "can be opened, read and watched, and files can be claimed in it"
    return [ProbeFinding(.fits, fits)] + findings
  }

  private static func words(_ problem: SpoolProblem) -> String {
    problem.reason + (problem.remedy.isEmpty ? "" : "; \(problem.remedy)")
  }
}
