import CommandParts
import ControlAPI
import Jobs
import Messages

/// The keys, tokens and secrets of the daemon in words. No secret is among them.
enum KeyReport {
  /// A table of the keys with their sources, and below it what is wrong with them.
  static func lines(_ list: CredentialList, _ terminal: Terminal) -> [String] {
    let credentials = list.credentials
    guard !credentials.isEmpty else { return ["No key or token is configured."] + notes(list) }
    let hasEnd = credentials.contains { $0.expiresAt != nil }
    var table = Table(
      columns: [
        .init(heading: "DESTINATION"), .init(heading: "KEY"), .init(heading: "ID", least: 8),
        .init(heading: "FROM", least: 12), .init(heading: "CHANGES APPLY"),
      ] + (hasEnd ? [.init(heading: "GOOD UNTIL")] : []))
    table.rows = credentials.map { credential in
      [
        .init(text: DisplayText.escape(credential.destination)), .init(text: credential.key),
        .init(text: credential.id.map { DisplayText.escape($0) } ?? "-"),
        .init(text: DisplayText.escape(credential.source)),
        .init(text: credential.changesWhileRunning ? "at once" : "after a restart"),
      ] + (hasEnd ? [.init(text: credential.expiresAt.map { Words.time($0.timestamp) } ?? "-")] : [])
    }
    return table.lines(terminal) + notes(list)
  }

  /// The problems, listed below the table.
  private static func notes(_ list: CredentialList) -> [String] {
    let unreadable = list.credentials.filter { $0.error != nil }
    let waiting = Set(list.credentials.filter(\.isRefused).map(\.destination)).sorted()
    return unreadable.map { "\($0.destination) \($0.key): \(DisplayText.escape($0.error?.text ?? ""))" }
      + waiting.map { destination in
        let name = DisplayText.escape(destination)
        return unreadable.contains { $0.destination == destination }
          ? "\(name): jobs wait until its key can be read"
          : "\(name) refuses its key: jobs wait until the key is replaced or accepted"
      }
      + list.missing.map { destination in
        let name = DisplayText.escape(destination)
        return "\(name): \(Message.noCredentials): set token in [\(name)], then waybill reload; jobs wait until then"
      }
  }
}
