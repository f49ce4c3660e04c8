import ArgumentParser
import FoundationEssentials
import Jobs

protocol JobSubcommand: AsyncParsableCommand {
  var selection: SelectionOptions { get }
  var command: JobCommand { get }
}

extension JobSubcommand {
  func run() async throws { try await command.carryOut(on: selection) }
}

struct ConfirmCommand: JobSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm", abstract: "Answer a question with yes: retry the failed step now.",
    discussion: "Also retries a job that waits for a time, a key or the network.")

  @OptionGroup var selection: SelectionOptions
  @Option(
    help: ArgumentHelp(
      "Use this absolute URI instead of an upload, and register it. Only for one job at step upload.", valueName: "url")
  )
  var link: String?

  func validate() throws {
    guard link == nil || selection.jobs.count == 1 else { throw ValidationError("--link needs exactly one job.") }
  }

  var command: JobCommand { .confirm(link: link) }
}

struct CancelCommand: JobSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Answer a question with no, or stop a job. The file is kept.",
    discussion: """
      A request in flight is cut off; if it was a registration, the backend may have accepted it. The retry command \
      starts the job again.

      Without --remove the object stays. With it the object is deleted, the link is dropped, and a retry uploads \
      again. Only an object with the job's id is deleted (in a versioned bucket, only the job's version), never the \
      target of a link from confirm --link. The key needs s3:DeleteObject, and s3:DeleteObjectVersion in a versioned \
      bucket.

      Cleanup at the storage runs in the background until it succeeds, and a retry waits for it. The show command \
      shows the result: "clean" (nothing of the job is there), "object-left" (removal was not requested or was \
      refused) or "pending".
      """)

  @OptionGroup var selection: SelectionOptions
  @Option(help: ArgumentHelp("The reason, for the job's history.", valueName: "text")) var reason: String?
  @Flag(help: "Delete the object too.") var remove = false

  var command: JobCommand { .cancel(reason: reason, remove: remove) }
}

struct RetryCommand: JobSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Queue aborted, cancelled or waiting jobs again.",
    discussion: """
      A job continues at the step that it had reached; a finished upload is not repeated. --all takes the aborted \
      jobs. Name cancelled jobs, and jobs with a question, by number or --state.
      """)

  @OptionGroup var selection: SelectionOptions

  var command: JobCommand { .retry }
}

struct ReleaseCommand: JobSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "release", abstract: "Give the files of aborted or cancelled jobs back under their own names.",
    discussion: """
      The daemon writes the files, so it needs permission to write to the directory. As a service it can write below \
      /var/spool/waybill, and where a drop-in allows it. Existing files are not replaced. /tmp, spools and the \
      daemon's own directories are refused; to send a file again, use retry.
      """)

  @OptionGroup var selection: SelectionOptions
  @Option(help: ArgumentHelp("The directory for the files.", valueName: "directory"))
  var to: String

  func validate() throws {
    guard !to.isEmpty else { throw ValidationError("--to needs a directory.") }
  }

  /// Names the directory by its absolute path: the daemon has another working directory.
  var command: JobCommand {
    let current = FileManager.default.currentDirectoryPath
    return .release(to: to.hasPrefix("/") ? to : (current.hasSuffix("/") ? current : current + "/") + to)
  }
}

struct DiscardCommand: JobSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "discard", abstract: "Delete the files of aborted or cancelled jobs for good.",
    discussion: "Asks first. The jobs' records stay for as long as the setting history says.")

  @OptionGroup var selection: SelectionOptions

  var command: JobCommand { .discard }
}
