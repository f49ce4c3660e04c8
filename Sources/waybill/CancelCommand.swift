import ArgumentParser
import ControlAPI
import Jobs

/// `waybill cancel`
struct CancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Answer a question with no, or stop a job. The file is kept.",
    discussion: """
      A request in flight is cut off. retry takes a cancelled job up again. What is at the storage stays there, unless \
      --remove is given: then the object is deleted, the link is dropped, and a retry uploads again. Only an object that \
      shows the job's id is ever deleted, and of a bucket that keeps versions only the job's own version; what a link of \
      confirm --link leads to stays. The key needs the right to delete: s3:DeleteObject, and s3:DeleteObjectVersion \
      where versions are kept. A registration that was in flight may have counted with the backend all the same.

      What is owed at the storage is done afterwards, as often as it takes, also where the storage is away just now: show \
      tells how the far side stands. It is "clean" if nothing of the job is there, "object-left" if the object is, \
      because its removal was not asked for or was refused for good, and "pending" until that is so. A retry waits for it.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions
  @Option(help: ArgumentHelp("Why, for the job's history.", valueName: "text")) var reason: String?
  @Flag(help: "Delete the object too, if it is the job's own.") var remove = false

  func run() async throws {
    try await Command.cancel(reason: reason, remove: remove).carryOut(on: selection, over: try connection.client())
  }
}
