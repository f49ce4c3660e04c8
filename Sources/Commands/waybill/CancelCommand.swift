import ArgumentParser
import ControlAPI
import Jobs

/// `waybill cancel`
struct CancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Answer a question with no, or stop a job. The file is kept.",
    discussion: """
      A request in flight is cut off. The retry command starts a cancelled job again.

      The object stays at the storage unless you give --remove. With --remove the object is deleted, the link is \
      dropped, and a retry uploads again. Only an object that carries the job's id is deleted; in a bucket that \
      keeps versions, only the job's own version. A link given with confirm --link is not followed: what it leads to \
      stays. The key needs the right to delete: s3:DeleteObject, and s3:DeleteObjectVersion if the bucket keeps \
      versions. If a registration was in flight, the backend may have accepted it.

      Cleanup at the storage runs in the background and is retried until it succeeds, even if the storage cannot be \
      reached now. The show command tells the result. It is "clean" if nothing of the job is there. It is \
      "object-left" if the object is still there, because its removal was not requested or was refused for good. It \
      is "pending" until the cleanup is finished. A retry waits for the cleanup.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions
  @Option(help: ArgumentHelp("Why, for the job's history.", valueName: "text")) var reason: String?
  @Flag(help: "Delete the object too, if it is the job's own.") var remove = false

  func run() async throws {
    try await JobCommand.cancel(reason: reason, remove: remove).carryOut(on: selection, over: try connection.client())
  }
}
