import ArgumentParser
import ControlAPI
import FoundationEssentials
import Jobs

/// `waybill release`
struct ReleaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "release", abstract: "Give the files of aborted or cancelled jobs back under their own names.",
    discussion: """
      The daemon puts the files there, so it must be able to write to the directory. As a service it may do so below \
      /var/spool/waybill, and where spool-dropin let it; its /tmp is not yours, and is refused. Existing files are \
      not replaced. The daemon's own directories and the spools are refused, also those of another daemon that runs; \
      to send a file again, use retry.

      With --to - the file of one job is written to standard output. If that is a regular file (> FILE), the job ends \
      once all of it is on disk; until then nothing has changed. Nobody can tell what becomes of bytes in a pipe or a \
      device, so then the job stays as it is, and you discard it when the file has arrived. A file that brings nothing \
      for 30 s is given up, and 4 files at most are read at once. A directory, or a file with its sidecar, is no single \
      file and needs a directory.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions
  @Option(help: ArgumentHelp("The directory for the files, or - for standard output.", valueName: "directory"))
  var to: String

  func validate() throws {
    guard !to.isEmpty else { throw ValidationError("--to needs a directory.") }
    guard to != Release.toCaller || selection.jobs.count == 1 else {
      throw ValidationError("--to - needs one job, by its number or file name.")
    }
  }

  func run() async throws {
    if to == Release.toCaller, !selection.caution.dryRun {
      return try await ReleaseToOutput(client: try connection.client()).run(selection.jobs)
    }
    try await JobCommand.release(to: directory(FileManager.default.currentDirectoryPath))
      .carryOut(on: selection, over: try connection.client())
  }

  /// The directory as an absolute path: the daemon has another working directory.
  func directory(_ current: String) -> String {
    to.hasPrefix("/") ? to : (current.hasSuffix("/") ? current : current + "/") + to
  }
}
