import ArgumentParser
import ControlAPI
import FoundationEssentials
import Jobs

/// `waybill release`
struct ReleaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "release", abstract: "Give the files of aborted or cancelled jobs back under their own names.",
    discussion: """
      The daemon writes the files, so it needs permission to write to the directory. As a service it can write below \
      /var/spool/waybill, and where a drop-in allows it. Existing files are not replaced. /tmp, spools and the \
      daemon's own directories are refused; to send a file again, use retry.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions
  @Option(help: ArgumentHelp("The directory for the files.", valueName: "directory"))
  var to: String

  func validate() throws {
    guard !to.isEmpty else { throw ValidationError("--to needs a directory.") }
  }

  func run() async throws {
    try await JobCommand.release(to: directory(FileManager.default.currentDirectoryPath))
      .carryOut(on: selection, over: try connection.client())
  }

  /// The directory as an absolute path: the daemon has another working directory.
  func directory(_ current: String) -> String {
    to.hasPrefix("/") ? to : (current.hasSuffix("/") ? current : current + "/") + to
  }
}
