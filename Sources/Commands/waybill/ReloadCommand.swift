import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Messages

struct ReloadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload", abstract: "Make the daemon read its configuration again.",
    discussion: """
      Does the same as SIGHUP and systemctl reload. Shows the changes, those that need a restart, jobs that now have \
      a question because their storage or backend is gone, and spools that cannot be used yet. An error \
      changes nothing: the errors are printed, and the exit status is 78. Requests in flight finish with the old \
      configuration.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Flag(help: .json) var json = false
  @Flag(help: "Print nothing that the journal also gets. For units.") var quiet = false

  func validate() throws {
    guard !json || !quiet else { throw ValidationError("--json and --quiet cannot be used together.") }
  }

  func run() async throws { try await Self.carryOut(try connection.client(), json: json, quiet: quiet) }

  static func carryOut(_ client: ControlClient, json: Bool = false, quiet: Bool = false) async throws {
    let answer: ReloadAnswer
    do throws(ControlError) {
      answer = try await client.reload()
    } catch {
      guard case .problem(let problem) = error, problem.status == 422 else { throw error }
      for line in problem.said.text.split(separator: "\n") where !quiet {
        Output.error(DisplayText.escape(String(line)))
      }
      throw CommandFailure(status: .configuration, words: nil)
    }
    if json { return Output.json(answer) }
    if quiet { return }
    Output.line(DisplayText.escape(answer.message.text))
    for problem in answer.problems { Output.line("! \(DisplayText.escape(problem.text))") }
    if answer.askingCount > 0 { Output.line("see them: waybill list --error configuration") }
  }
}
