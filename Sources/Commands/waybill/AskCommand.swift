import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Linux

/// `waybill ask`
struct AskCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask", abstract: "Answer the open questions one after the other, at a terminal.",
    discussion: """
      Each question shows the job, name, spool, age and number of tries. One key answers it:

        r   retry, as confirm does (y too)
        c   cancel (n too); you may give a reason
        l   use a link, as confirm --link does, if the upload failed
        a   one answer for all questions of this kind, whose number it shows
        s   skip: the question stays open
        q   quit; Ctrl-D does the same
        ?   explain the keys

      Keys pressed before a question was shown are ignored. If somebody else has answered it, the command shows who \
      and when, and changes nothing.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Option(help: .host) var host: [String] = []
  @Option(help: ArgumentHelp("Only about jobs of this spool.", valueName: "name")) var spool: String?
  @Option(
    help: ArgumentHelp(
      "Only about names that contain this text, or match this shell pattern.",
      valueName: "text"))
  var name: String?
  @Option(
    help: ArgumentHelp(
      "Only about failures of this kind, or with these words.", valueName: "words"))
  var error: String?

  func run() async throws {
    guard TerminalKeys.isPossible else {
      throw CommandFailure(
        status: .validationFailure,
        words: """
          ask needs a terminal. Elsewhere, waybill list --by reason shows the questions in groups, and waybill confirm \
          and waybill cancel answer them
          """)
    }
    var filter = JobFilter()
    filter.states = [.awaitingConfirmation]
    filter.hosts = Set(host)
    filter.spool = spool
    filter.name = name
    filter.error = error
    let client = try connection.client()
    // Reports at once, and not between two questions, that there is no daemon.
    _ = try await calling { () async throws(ControlError) in try await client.status() }
    let signals: CaughtSignals
    let keys: TerminalKeys
    let person: Person
    do {
      signals = try CaughtSignals(stops: true)
      keys = try TerminalKeys(signals: signals)
      person = Person(keys: keys, thread: try WorkerThreads(count: 1, name: "waybill-keys"))
    } catch {
      throw CommandFailure(status: ExitCode(1), words: "\(error)")
    }
    defer { keys.restore() }
    var session = AskSession(client: client, filter: filter, person: person, terminal: .standardOutput)
    let end: AskSession.End
    do {
      end = try await session.run()
    } catch {
      keys.write("\n")
      throw error
    }
    keys.restore()
    if let summary = await session.summary() { keys.write(summary + "\n") }
    if case .signal(let number) = end { signals.letThrough(number) }
  }
}

/// The person at the terminal. Waiting for a person blocks a separate thread.
struct Person: Sendable {
  let keys: TerminalKeys
  let thread: WorkerThreads

  /// Prepares for a key before a question is shown: earlier input does not answer it.
  func prepare() async throws { try await thread.run { [keys] in try keys.prepare() } }

  /// Returns the next key, or nothing if none comes within a second.
  func key() async throws -> TerminalKeys.Input {
    try await thread.run { [keys] in try keys.key(within: .seconds(1)) }
  }

  /// Reads a line after a prompt. Asks again if the process was stopped in the meantime.
  func line(_ prompt: String, isHidden: Bool = false) async throws -> TerminalKeys.Input {
    while true {
      let input = try await thread.run { [keys] in try keys.line(hidden: isHidden) { keys.write(prompt) } }
      guard input == .resumed else { return input }
    }
  }

  func write(_ text: String) { keys.write(text) }
}
