import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Messages

/// `waybill status`
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "The state of the daemon, and what waits for you.",
    discussion: """
      Problems come first, with their remedies, then pauses, jobs that wait for a person, and destinations on hold. \
      Then come the activity of the daemon, the number of jobs in each state, and the spools.

      With --long it also shows the source of each key, token and secret, its expiry if it was fetched, and whether \
      a change needs a restart. It never shows a secret.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Option(help: .host) var host: [String] = []
  @Flag(help: "Also show the keys, and how each spool detects that a file is finished.") var long = false
  @Flag(help: .json) var json = false

  func run() async throws {
    let client = try connection.client()
    let status = try await calling { () async throws(ControlError) in try await client.status(on: Set(host)) }
    if json { return Output.json(status) }
    for line in StatusReport(status, isLong: long, now: .now, terminal: .standardOutput).lines { Output.line(line) }
    guard long else { return }
    let keys = try await calling { () async throws(ControlError) in try await client.credentials() }
    for line in [""] + KeyReport.lines(keys, .standardOutput) { Output.line(line) }
  }
}

/// The daemon's state in words: first the things that wait for a person, then the rest.
struct StatusReport {
  let lines: [String]

  init(_ status: StatusMessage, isLong: Bool = false, now: Timestamp, terminal: Terminal) {
    let calls = Self.calls(status, now).flatMap { call in
      Folded.lines(call.text, width: terminal.columns, indent: 2).map { terminal.styled($0, call.style) }
    }
    let facts = (Self.facts(status, now) + Self.hosts(status, now) + Self.spools(status, isLong: isLong, now)).flatMap {
      Folded.lines($0, width: terminal.columns, indent: 10)
    }
    lines = calls + [""] + facts
  }

  private static func calls(_ status: StatusMessage, _ now: Timestamp) -> [Table.Cell] {
    var calls = status.problems.map { problem in
      let remedy = problem.help.map { "; \(DisplayText.escape($0.text))" } ?? ""
      let age = Words.age(now - problem.since.timestamp)
      let place = problem.host.map { DisplayText.escape($0) + ": " } ?? ""
      return Table.Cell(
        text: "\(place)\(DisplayText.escape(problem.what.shown)), for \(age)\(remedy)", style: .bad
      )
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
    call(.awaitingConfirmation, .attention)
    call(.awaitingCredentials, .attention)
    call(.awaitingNetwork, .attention)
    call(.aborted, .bad)
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

    func call(_ state: JobState, _ style: Terminal.Style) {
      guard let count = status.counts[state], count > 0 else { return }
      let words = Words.count(count, "job is \(state.word)", "jobs are \(state.word)")
      let command = state.remedy ?? "waybill list --state \(state.rawValue)"
      calls.append(.init(text: "\(words): \(command)", style: style))
    }
  }

  private static func facts(_ status: StatusMessage, _ now: Timestamp) -> [String] {
    let activity =
      status.activity.upload +| status.activity.register == 0
      ? "idle" : "uploading \(status.activity.upload), registering \(status.activity.register)"
    let owed = Words.count(status.cleanups, "job waits", "jobs wait")
    return [
      "Activity  \(activity)",
      "Jobs      \(status.counts.inWords)",
    ] + configuration(status) + requests(status) + bandwidth(status) + transfers(status, now)
      + (status.cleanups == 0 ? [] : ["Cleanup   \(owed) for cleanup at a storage"]) + [
        "Daemon    version \(DisplayText.escape(status.version)), up \(Words.age(.seconds(status.uptime)))"
      ]
  }

  /// The hosts of a fleet.
  private static func hosts(_ status: StatusMessage, _ now: Timestamp) -> [String] {
    (status.hosts ?? []).enumerated().map { index, host in
      let seen = host.seenAt.map { ", heard of \(Words.age(now - $0.timestamp)) ago" } ?? ""
      let behind = host.behind > 0 ? ", \(Words.count(Int(host.behind), "event", "events")) behind" : ""
      let trouble = host.trouble.map { ": \(DisplayText.escape($0.text))" } ?? ""
      return (index == 0 ? "Hosts     " : "          ")
        + "\(DisplayText.escape(host.host))  version \(DisplayText.escape(host.version))\(seen)"
        + "\(host.late ? " (late)" : "")\(behind)\(trouble)"
    }
  }

  /// The requests in flight and their limits, where each destination has its own.
  private static func requests(_ status: StatusMessage) -> [String] {
    let words = status.destinations.filter(\.concurrency.adaptive).map {
      ($0.host.map { DisplayText.escape($0) + ": " } ?? "")
        + "\(DisplayText.escape($0.destination)) \($0.concurrency.inFlight) of \($0.concurrency.limit)"
        + ($0.concurrency.heldDown.map { " (\(DisplayText.escape($0)))" } ?? "")
    }
    return words.isEmpty ? [] : ["Requests  \(words.joined(separator: ", "))"]
  }

  /// Says that an edited configuration does not count yet. A refused one is a problem, which is said first.
  private static func configuration(_ status: StatusMessage) -> [String] {
    guard let configuration = status.configuration else { return [] }
    let read = "read at \(Words.time(configuration.loadedAt.timestamp))"
    return switch configuration.onDisk {
    case .same, .refused: []
    case .changed: ["Settings  changed on disk, and not in use (\(read)): waybill reload"]
    case .unknown: ["Settings  \(read); the files on disk cannot be read"]
    }
  }

  /// The limit of uploads, if there is one.
  private static func bandwidth(_ status: StatusMessage) -> [String] {
    status.bandwidth.map { ["Bandwidth \(Words.bytes($0))/s"] } ?? []
  }

  /// The most uploads of large files that are shown.
  private static let mostTransfers = 10

  /// The uploads of large files in flight.
  private static func transfers(_ status: StatusMessage, _ now: Timestamp) -> [String] {
    var lines = status.transfers.prefix(mostTransfers).map {
      "Uploading job \($0.job) \(DisplayText.escape($0.name)): \(TransferWords.progress($0, now: now))"
    }
    let others = status.transfers.count - mostTransfers
    if others > 0 { lines.append("          and \(others) more") }
    return lines
  }

  private static func spools(_ status: StatusMessage, isLong: Bool, _ now: Timestamp) -> [String] {
    status.spools.enumerated().map { index, spool in
      let scan = spool.lastScan.map { "scanned \(Words.age(now - $0.timestamp)) ago" } ?? "not scanned yet"
      let oldest = spool.oldestWaiting.map { ", oldest file waits \(Words.age(now - $0.timestamp))" } ?? ""
      let last = spool.lastFile.map { ", last file \(Words.age(now - $0.timestamp)) ago" }
      let arrival = oldest.isEmpty ? last ?? (spool.expectEvery == nil ? "" : ", no file yet") : oldest
      let heading = index == 0 ? "Spools    " : "          "
      // A fleet counts the files of all its spools of one name.
      let count = spool.host == nil ? status.untaken[spool.name] ?? 0 : 0
      let untaken = count > 0 ? ", \(Words.count(count, "file", "files")) not taken" : ""
      let reasons = waiting(spool)
      let place = spool.host.map { DisplayText.escape($0) + ": " } ?? ""
      return heading + "\(place)\(DisplayText.escape(spool.name))  \(DisplayText.escape(spool.path))  "
        + "\(spool.watch), \(scan)\(arrival)\(untaken)\(reasons)\(isLong ? readiness(spool) : "")"
        + writers(spool)
    }
  }

  /// The names that are not taken, by the reason.
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
      "ignored": "by name", "not-listed": "not in only", "unmatched": "not matched", "empty": "empty",
      "too-small": "too small",
      "too-large": "too large", "directory": "as a directory", "not-a-file": "as a link or device",
      "loose-file": "beside groups", "kept": "kept",
    ])
    return (later.isEmpty ? "" : " (\(later))") + (never.isEmpty ? "" : ", left alone: \(never)")
  }

  /// The ways in which the daemon finds out that a file is finished; empty if it has all of them for every file.
  private static func readiness(_ spool: SpoolMessage) -> String {
    guard spool.leases != "all" || Set(spool.readiness) != ["renamed", "closed", "lease", "still"] else { return "" }
    let ways = spool.readiness.compactMap { way in
      switch way {
      case "renamed": "moved in"
      case "closed": "closed by their writer"
      case "still": "unchanged for a while"
      default: nil
      }
    }
    let asks = spool.readiness.contains("lease") ? ", and that no program is writing" : ""
    return "; takes files that are \(ways.joined(separator: " or "))\(asks)"
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
