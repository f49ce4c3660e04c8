import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Messages

struct PauseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Start nothing new until resume. Requests in flight finish.",
    discussion: """
      Without options all jobs are paused; at most one option may be given. A pause survives restarts, and no probe \
      starts during it.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var options: PauseOptions

  func run() async throws {
    let client = try connection.client()
    let answer = try await client.set(paused: true, PauseBody(options.target))
    Output.line(DisplayText.escape(answer.message.text))
  }
}

struct ResumeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "End a pause.",
    discussion: """
      Each pause ends separately: without options, only the pause of all jobs ends. The command shows the pauses \
      that remain. If a destination is on hold until a set time, one job probes it at once.

      After the ledger was restored or lost, the daemon pauses everything, because later answers may be lost. Check \
      the jobs first, cancel those that must not be sent, then use --recovered.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var options: PauseOptions
  @Flag(help: "End the pause that began when the ledger was restored or lost.") var recovered = false

  func validate() throws {
    guard !recovered || options.target == .all else {
      throw ValidationError("--recovered cannot be used with the other options.")
    }
  }

  func run() async throws {
    let client = try connection.client()
    let target = recovered ? .recovered : options.target
    let answer = try await client.set(paused: false, PauseBody(target))
    Output.line(DisplayText.escape(answer.message.text))
    for pause in answer.pauses {
      Output.line(DisplayText.escape(pause.words?.text ?? "\(pause.destination) is still paused: \(pause.remedy)"))
    }
  }
}

struct PauseOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Only the jobs of this spool.", valueName: "name")) var spool: String?
  @Option(help: ArgumentHelp("Only uploads to this storage.", valueName: "name")) var storage: String?
  @Option(help: ArgumentHelp("Only registrations with this backend.", valueName: "name")) var backend: String?
  @Flag(help: "Only the claiming of files: jobs continue.") var intake = false

  func validate() throws {
    guard [spool != nil, storage != nil, backend != nil, intake].count(where: \.self) <= 1 else {
      throw ValidationError("Only one of --spool, --storage, --backend and --intake can be used.")
    }
  }

  var target: Pause.Target {
    if let spool { return .spool(spool) }
    if let storage { return .destination(.storage(storage)) }
    if let backend { return .destination(.backend(backend)) }
    return intake ? .intake : .all
  }
}
