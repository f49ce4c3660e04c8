import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Messages

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "The state of the daemon, and what waits for you.",
    discussion: """
      Problems come first, with their remedies, then pauses, jobs that wait for a person, and destinations on hold. \
      Then come activity, jobs by the five words of list, and spools.

      Exit status: 0 if nothing waits for you; 1 if something does, also with --json.

      With --long it also shows the source of each key, token and secret, its expiry if it was fetched, and whether \
      a change needs a restart. It never shows a secret.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Option(help: .host) var host: [String] = []
  @Flag(help: "Also show the keys.") var long = false
  @Flag(help: .json) var json = false

  func run() async throws {
    let client = try connection.client()
    let status = try await client.status(on: Set(host))
    let report = StatusReport(status, now: .now, terminal: .standardOutput)
    if json { Output.json(status) } else { for line in report.lines { Output.line(line) } }
    if long, !json {
      let keys = try await client.credentials()
      for line in [""] + KeyReport.lines(keys, .standardOutput) { Output.line(line) }
    }
    if report.needsSomebody { throw CommandFailure(words: nil) }
  }
}

/// The daemon's state in words: first the things that wait for a person, then the rest.
struct StatusReport {
  let lines: [String]
  /// True if there is a problem, a pause, a destination on hold, or a job that waits or was stopped. The page has the same rule.
  let needsSomebody: Bool

  init(_ status: StatusMessage, now: Timestamp, terminal: Terminal) {
    let found = Self.calls(status, now)
    needsSomebody = !found.contains { $0.style == .good }
    let calls = found.flatMap { terminal.lines($0.text, $0.style, indent: 2) }
    let facts = Self.facts(status, now).flatMap { heading, lines in
      lines.enumerated().flatMap { index, line in
        let start = index == 0 ? heading : ""
        return terminal.lines(start + String(repeating: " ", count: 10 - start.count) + line, indent: 10)
      }
    }
    lines = calls + [""] + facts
  }

  private static func place(_ host: String?) -> String { host.map { DisplayText.escape($0) + ": " } ?? "" }

  private static func calls(_ status: StatusMessage, _ now: Timestamp) -> [Table.Cell] {
    var calls = status.problems.map { problem in
      let remedy = problem.help.map { "; \(DisplayText.escape($0.text))" } ?? ""
      let age = Words.age(now - problem.since)
      return Table.Cell(
        text: "\(place(problem.host))\(DisplayText.escape(problem.what.shown)), for \(age)\(remedy)", style: .bad)
    }
    for pause in status.pauses {
      guard let words = pause.words else { continue }
      calls.append(.init(text: DisplayText.escape(words.shown), style: .bad))
    }
    if let words = status.ledger?.shown {
      calls.append(.init(text: DisplayText.escape(words), style: .bad))
    }
    for pause in status.pauses where pause.words == nil {
      calls.append(.init(text: pause.inWords(now), style: .attention))
    }
    for state: JobState in [.awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .aborted] {
      guard let count = status.counts[state], count > 0, let remedy = state.remedy else { continue }
      let words = Words.count(count, "job is \(state.word)", "jobs are \(state.word)")
      calls.append(.init(text: "\(words): \(remedy)", style: state.style))
    }
    for gate in status.gates { calls.append(.init(text: gate.inWords(now), style: .attention)) }
    let untaken = status.untaken.values.saturatingSum
    if calls.isEmpty {
      // A sidecar without its document, or a group without its marker, waits for what somebody has yet to bring.
      let alone = status.spools.flatMap { spool in
        ["awaiting-document", "incomplete"].compactMap { spool.waiting[$0] }
      }
      let coming = untaken -| alone.saturatingSum
      let more =
        coming > 0 ? " \(Words.count(coming, "file is", "files are")) in the spools and will be taken." : ""
      return [.init(text: "Nothing waits for you.\(more)", style: .good)]
    }
    if untaken > 0 {
      let words = "\(Words.count(untaken, "file is", "files are")) in the spools, not taken yet: waybill explain FILE"
      calls.append(.init(text: words, style: .attention))
    }
    return calls
  }

  private static func facts(_ status: StatusMessage, _ now: Timestamp) -> KeyValuePairs<String, [String]> {
    [
      "Activity": [status.activity.inWords],
      "Jobs": [status.counts.inWords],
      "Requests": requests(status),
      "Bandwidth": status.bandwidth.map { ["\(Words.bytes($0))/s"] } ?? [],
      "Uploading": status.transferLines(atMost: 10, now),
      "Cleanup": status.cleanups == 0
        ? [] : ["\(Words.count(status.cleanups, "job waits", "jobs wait")) for cleanup at a storage"],
      "Daemon": ["version \(DisplayText.escape(status.version)), up \(Words.age(.seconds(status.uptime)))"],
      "Hosts": (status.hosts ?? []).map { host($0, now) },
      "Spools": status.spools.map { spool($0, status, now) },
    ]
  }

  private static func host(_ host: HostMessage, _ now: Timestamp) -> String {
    let seen = host.seenAt.map { ", heard of \(Words.age(now - $0)) ago" } ?? ""
    let behind = host.behind > 0 ? ", \(Words.count(Int(host.behind), "event", "events")) behind" : ""
    let trouble = host.trouble.map { ": \(DisplayText.escape($0.text))" } ?? ""
    return "\(DisplayText.escape(host.host))  version \(DisplayText.escape(host.version))\(seen)"
      + "\(host.late ? " (late)" : "")\(behind)\(trouble)"
  }

  private static func requests(_ status: StatusMessage) -> [String] {
    let words = status.destinations.filter { $0.concurrency.adaptive || $0.rate != nil }.map {
      let limit = $0.concurrency.adaptive ? " of \($0.concurrency.limit)" : ""
      let held = $0.rate.map { $0.waiting > 0 ? "; \(Words.grouped($0.waiting)) wait" : "" } ?? ""
      let rate = $0.rate.map { " (at most \(TokenBucket.text($0.perSecond)) a second\(held))" } ?? ""
      return "\(place($0.host))\(DisplayText.escape($0.destination)) \($0.concurrency.inFlight)\(limit)\(rate)"
    }
    return words.isEmpty ? [] : [words.joined(separator: ", ")]
  }

  private static func spool(_ spool: SpoolMessage, _ status: StatusMessage, _ now: Timestamp) -> String {
    func age(_ time: Timestamp) -> String { Words.age(now - time) }
    let scan = spool.lastScan.map { "scanned \(age($0)) ago" } ?? "not scanned yet"
    let oldest = spool.oldestWaiting.map { ", oldest file waits \(age($0))" } ?? ""
    // A fleet counts the files of all its spools of one name.
    let count = spool.host == nil ? status.untaken[spool.name] ?? 0 : 0
    let untaken = count > 0 ? ", \(Words.count(count, "file", "files")) not taken" : ""
    return "\(place(spool.host))\(DisplayText.escape(spool.name))  \(DisplayText.escape(spool.path))  "
      + "\(spool.watch), \(scan)\(oldest)\(untaken)\(waiting(spool))\(writers(spool))"
  }

  private static func waiting(_ spool: SpoolMessage) -> String {
    func list(_ reasons: KeyValuePairs<String, String>) -> String {
      reasons.compactMap { reason, words in spool.waiting[reason].map { "\($0) \(words)" } }.joined(separator: ", ")
    }
    let later = list([
      "ready": "ready", "settling": "settling", "open": "open for writing", "uncertain": "perhaps open",
      "awaiting-sidecar": "without their sidecar", "incomplete": "without their marker",
      "awaiting-document": "without their document",
      "refused": "refused",
    ])
    let never = list([
      "ignored": "by name", "unmatched": "not matched", "directory": "as a directory",
      "not-a-file": "as a link or device", "loose-file": "beside groups", "kept": "kept",
    ])
    return (later.isEmpty ? "" : " (\(later))") + (never.isEmpty ? "" : ", left alone: \(never)")
  }

  /// The limits in finding out about writers, and their effect.
  private static func writers(_ spool: SpoolMessage) -> String {
    let open = spool.uncertain == 0 ? "" : ", \(Words.count(spool.uncertain, "file waits", "files wait")) for that now"
    // Without events there is no sign that somebody may have a file open.
    let effect =
      spool.readiness.contains("closed")
      ? "a file that may be open must be unchanged for 5 minutes\(open)"
      : "a file is taken when it has been unchanged for settle_unseen"
    return switch spool.leases {
    case "own":
      "; CAP_LEASE is missing, so the daemon cannot tell whether another user's file is still being written: \(effect)"
    case "none":
      "; its file system has no leases, so the daemon cannot tell whether a file is still being written: \(effect)"
    default: ""
    }
  }
}

/// The keys, tokens and secrets of the daemon in words. No secret is among them.
enum KeyReport {
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
        .init(text: DisplayText.escape(credential.source.text)),
        .init(text: credential.changesWhileRunning ? "at once" : "after a restart"),
      ] + (hasEnd ? [.init(text: credential.expiresAt.map { Words.time($0) } ?? "-")] : [])
    }
    return table.lines(terminal) + notes(list)
  }

  private static func notes(_ list: CredentialList) -> [String] {
    let unreadable = list.credentials.filter { $0.error != nil }
    let refused = Set(list.credentials.filter(\.isRefused).map(\.destination))
    return unreadable.map { DisplayText.escape("\($0.destination) \($0.key): \($0.error?.text ?? "")") }
      + refused.subtracting(unreadable.map(\.destination)).sorted().map {
        "\(DisplayText.escape($0)) refuses its key: jobs wait until the key is replaced or accepted"
      }
      + list.missing.map { DisplayText.escape($0) }.map { name in
        "\(name): \(Message.noCredentials): set token in [\(name)], then waybill reload; jobs wait until then"
      }
  }
}
