import ArgumentParser
import CommandParts
import ControlAPI

@main
struct Waybill: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waybill",
    abstract: "See and control what the Waybill daemon does with dropped files.",
    discussion: """
      A file dropped in a spool is a job: it is uploaded, then its link is registered. If a step fails and no rule \
      says what to do, the daemon asks a question. The answer confirm tries again; the answer cancel stops the job \
      and keeps the file.

      Exit status: 0 done; 1 the job is unknown or not in a state for that, or (status) something waits for you; 64 \
      usage error; 69 no daemon answers; 77 not permitted; 78 configuration error.
      """,
    version: "waybill \(WaybillVersion.current)",
    subcommands: [
      InitCommand.self, StatusCommand.self, ListCommand.self, ShowCommand.self, ExplainCommand.self, LogCommand.self,
      ConfirmCommand.self, CancelCommand.self, RetryCommand.self, ReleaseCommand.self, DiscardCommand.self,
      AskCommand.self, AddCommand.self, PauseCommand.self, ResumeCommand.self, ReloadCommand.self,
      CheckCommand.self, SpoolCommand.self,
      WebCommand.self,
    ])

  static func main() async {
    await run(LeadingOptions.moved(Array(CommandLine.arguments.dropFirst()))) { CommandFailure(of: $0) }
  }
}

/// Options that belong to every subcommand may also come before it, as with git and docker: `waybill --socket S status`.
enum LeadingOptions {
  private static let withValue: Set<String> = ["--socket", "--instance"]
  private static let flags: Set<String> = ["--json"]

  /// The arguments with such options moved behind the subcommand; unchanged if there is none.
  static func moved(_ arguments: [String]) -> [String] {
    var index = arguments.startIndex
    while index < arguments.endIndex {
      let argument = arguments[index]
      if withValue.contains(argument) {
        index += 2
      } else if flags.contains(argument) || withValue.contains(where: { argument.hasPrefix($0 + "=") }) {
        index += 1
      } else {
        break
      }
    }
    guard index > arguments.startIndex, index < arguments.endIndex else { return arguments }
    if arguments[index] == "help" { return Array(arguments[index...]) }
    let end = min(arguments[index] == "spool" ? index + 2 : index + 1, arguments.endIndex)
    return Array(arguments[index..<end] + arguments[..<index] + arguments[end...])
  }
}
