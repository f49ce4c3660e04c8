import ArgumentParser
import CommandParts
import ControlAPI
import Jobs

/// The options of a command that is carried out on jobs: those that it applies to are named, found by a filter, or all.
struct SelectionOptions: ParsableArguments {
  @OptionGroup var connection: ConnectionOptions
  @Argument(
    help: ArgumentHelp("The numbers or ids of jobs; of a fleet, HOST:NUMBER.", valueName: "job"),
    transform: JobReference.named)
  var jobs: [JobReference] = []
  @Flag(
    help: """
      For retry: all aborted jobs; for confirm and cancel: all jobs with a question; for discard and release: all \
      aborted and cancelled jobs. For other states use --state.
      """)
  var all = false
  @OptionGroup var options: FilterOptions
  @Flag(
    help: """
      Do not ask. Required without a terminal for a group, and from \(JobCommand.manyJobs) jobs on (discard: 1; \
      cancel --remove: 2).
      """)
  var yes = false
  @Flag(help: "List the affected jobs, at most 100, and do nothing.") var dryRun = false

  func validate() throws {
    let filter = try options.filter()
    switch [!jobs.isEmpty, all, !filter.isEmpty].count(where: \.self) {
    case 0:
      throw ValidationError(
        "Say which jobs: their numbers, --all, or one of --group, --state, --spool, --name, --error.")
    case 1: break
    default: throw ValidationError("Use only one of these: job numbers, --all, or a filter.")
    }
  }

  /// The selection for one call; nil if jobs are named. Each of those gets its own call and answer.
  func selection() throws -> JobSelection? {
    if all { return .all }
    let filter = try options.filter()
    return filter.isEmpty ? nil : .filter(filter)
  }
}

extension JobReference {
  static func named(_ argument: String) throws -> JobReference {
    guard let reference = JobReference(argument) else {
      throw ValidationError("give a job's number or id. To find a job by its file: waybill list --name NAME.")
    }
    return reference
  }
}
