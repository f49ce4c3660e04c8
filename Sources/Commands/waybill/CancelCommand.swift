import ArgumentParser
import ControlAPI
import Jobs

/// `waybill cancel`
struct CancelCommand: AsyncParsableCommand {
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

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions
  @Option(help: ArgumentHelp("The reason, for the job's history.", valueName: "text")) var reason: String?
  @Flag(help: "Delete the object too.") var remove = false

  func run() async throws {
    try await JobCommand.cancel(reason: reason, remove: remove).carryOut(on: selection, over: try connection.client())
  }
}
