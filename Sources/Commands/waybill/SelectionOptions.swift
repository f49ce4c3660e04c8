import ArgumentParser
import CommandParts
import ControlAPI
import Jobs

/// The options of a command that is carried out on jobs: those that it applies to are named, found by a filter, or all.
struct SelectionOptions: ParsableArguments {
  @OptionGroup var connection: ConnectionOptions
  @Argument(
    help: ArgumentHelp(
      """
      The numbers or ids of jobs, or names or paths of their files; of a fleet, HOST:NUMBER. If several jobs have \
      a file of that name, they are listed, and nothing is done.
      """, valueName: "job"))
  var jobs: [String] = []
  @Flag(
    help: """
      For retry: all aborted jobs; for confirm and cancel: all jobs with a question; for discard and release: all \
      aborted and cancelled jobs. For other states use --state.
      """)
  var all = false
  @OptionGroup var options: FilterOptions
  @Option(
    help: ArgumentHelp(
      """
      With --group: the digest from list --by reason --json. If the group has changed, nothing is done. Without it \
      the command shows the group and asks.
      """, valueName: "digest"))
  var digest: String?
  @Flag(
    help: """
      Do not ask. Required without a terminal from \(JobCommand.manyJobs) jobs on (discard: 1; cancel --remove: 2).
      """)
  var yes = false
  @Flag(help: "List the affected jobs, at most 100, and do nothing.") var dryRun = false

  func validate() throws {
    let filter = try options.filter()
    if let digest {
      guard filter.like != nil else { throw ValidationError("--digest goes with --group.") }
      guard GroupDigest(digest) != nil else {
        throw ValidationError("--digest needs what list --by reason --json shows as digest.")
      }
    }
    switch [!jobs.isEmpty, all, !filter.isEmpty].count(where: \.self) {
    case 0:
      throw ValidationError(
        "Say which jobs: their numbers or file names, --all, or one of --group, --state, --spool, --name, --error.")
    case 1: break
    default: throw ValidationError("Use only one of these: job numbers, --all, or a filter.")
    }
  }

  /// The selection for one call; nil if jobs are named. Each of those gets its own call and answer.
  func selection() throws -> JobSelection? {
    if all { return .all }
    let filter = try options.filter()
    if let digest = digest.flatMap({ GroupDigest($0) }) { return .group(filter, digest) }
    return filter.isEmpty ? nil : .filter(filter)
  }
}
