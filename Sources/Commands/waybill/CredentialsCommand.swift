import ArgumentParser
import CommandParts
import ControlAPI
import Jobs

/// `waybill credentials`
struct CredentialsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credentials", abstract: "The keys in use, and where they come from.",
    discussion: """
      Lists where each key, token and secret comes from, and whether a change of it takes effect at once or after a \
      restart. For an access key it shows the id that the next attempt will use. It also lists what cannot be read \
      or was refused. It never shows a secret or a token.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Flag(help: "The answer of the control socket, as JSON.") var json = false

  func run() async throws {
    let client = try connection.client()
    let list = try await calling { () async throws(ControlError) in try await client.credentials() }
    if json { return try Output.json(list) }
    for line in Self.lines(list, .standardOutput) { Output.line(line) }
  }

  static func lines(_ list: CredentialList, _ terminal: Terminal) -> [String] {
    let credentials = list.credentials
    guard !credentials.isEmpty else { return ["No key or token is configured."] + notes(list) }
    var table = Table(columns: [
      .init(heading: "DESTINATION"), .init(heading: "KEY"), .init(heading: "ID", least: 8),
      .init(heading: "FROM", least: 12), .init(heading: "CHANGES APPLY"),
    ])
    table.rows = credentials.map { credential in
      [
        .init(text: DisplayText.escape(credential.destination)), .init(text: credential.key),
        .init(text: credential.id.map { DisplayText.escape($0) } ?? "-"),
        .init(text: DisplayText.escape(credential.source)),
        .init(text: credential.changesWhileRunning ? "at once" : "after a restart"),
      ]
    }
    return table.lines(terminal) + notes(list)
  }

  /// The problems, listed below the table.
  private static func notes(_ list: CredentialList) -> [String] {
    let unreadable = list.credentials.filter { $0.error != nil }
    let waiting = Set(list.credentials.filter(\.isRefused).map(\.destination)).sorted()
    return unreadable.map { "\($0.destination) \($0.key): \(DisplayText.escape($0.error ?? ""))" }
      + waiting.map { destination in
        let name = DisplayText.escape(destination)
        return unreadable.contains { $0.destination == destination }
          ? "\(name): jobs wait until its key can be read"
          : "\(name) refuses its key: jobs wait until the key is replaced or accepted"
      }
      + list.missing.map { destination in
        let name = DisplayText.escape(destination)
        return "\(name): \(CredentialList.lack): set token in [\(name)], then waybill reload; jobs wait until then"
      }
  }
}
