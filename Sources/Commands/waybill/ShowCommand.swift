import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Messages

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "One job, with its attempts and history.",
    discussion: "The history names the person who asked for each change.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The job's number or id; of a fleet, HOST:NUMBER.", transform: JobReference.named)
  var job: JobReference
  @Flag(help: .json) var json = false

  func run() async throws {
    let client = try connection.client()
    let detail = try await client.job(job)
    if json { return Output.json(detail) }
    var transfers: [StatusMessage.Transfer] = []
    // The upload of the job's file, if it is large and in flight.
    if detail.job.state == .active, detail.job.step == .upload {
      transfers = try await client.status().transfers.filter { $0.job == detail.job.job }
    }
    for line in JobReport(detail, transfers, now: .now, terminal: .standardOutput).lines { Output.line(line) }
  }
}

struct JobReport {
  private(set) var lines: [String] = []
  private let terminal: Terminal

  init(
    _ detail: JobDetailMessage, _ transfers: [StatusMessage.Transfer] = [], now: Timestamp, terminal: Terminal
  ) {
    self.terminal = terminal
    let job = detail.job
    add("Job \(job.reference): \(job.name)", .heading, indent: 2)
    add(job.sentence, job.state.style)
    if let question = job.question {
      add(question.text, .attention)
    } else if let standstill = detail.standstill {
      add("Now: " + standstill.message.shown, indent: 5)
    }
    if let remedy = detail.standstill.map({ $0.remedy }) ?? job.remedy { add("To go on: \(remedy)", indent: 10) }
    for transfer in transfers { add("uploading " + transfer.progress(now)) }
    lines.append("")
    addFacts(detail, now)
    // Escaped already, line by line.
    let answer = job.state == .registered ? nil : job.error?.answer
    add("Start of the answer", (answer ?? "").split(separator: "\n").map(String.init))
    add("Attempts", attempts(detail.attempts))
    add(
      "History",
      detail.history.map { event in
        let by = event.by.map { " by " + Words.user($0.user) } ?? ""
        let reason = event.reason.map { ": " + DisplayText.escape($0.text) } ?? ""
        return "\(Words.time(event.at))  \(event.step.rawValue) \(event.event)\(by)\(reason)"
      })
  }

  private func attempts(_ attempts: [AttemptMessage]) -> [String] {
    var last: String?
    return attempts.map { attempt in
      let span = attempt.endedAt - attempt.startedAt
      let words = attempt.error?.message.text
      let reason = words.map { ": " + ($0 == last ? "the same" : DisplayText.escape($0)) } ?? ""
      last = words
      return "\(Words.time(attempt.startedAt))  \(attempt.step.rawValue) \(attempt.attempt) "
        + "\(attempt.outcome) after \(span.wholeSeconds)s\(reason)"
    }
  }

  private mutating func addFacts(_ detail: JobDetailMessage, _ now: Timestamp) {
    let job = detail.job
    fact("Id", job.id)
    fact("Spool", job.spool)
    fact("File", job.path)
    fact("Sidecar", detail.sidecar)
    fact("Files", detail.files.map { "\($0.stored) of \($0.all) stored" })
    fact("Size", Words.bytes(job.size))
    fact("Key", detail.key)
    fact("Link", job.link)
    fact("SHA-256", detail.sha256)
    // A question has the reason in it.
    let isAsked = job.error.map { job.question?.text.contains($0.message.text) == true } ?? false
    fact("Same bytes", job.sameAs.map { "as job \($0)" })
    fact("Reason", job.state == .registered || isAsked ? nil : job.error?.message.text)
    let holds = detail.holds.isEmpty ? [job.heldBy].compactMap(\.self) : detail.holds
    for hold in holds { fact("Held by", hold.inWords(now)) }
    fact("Next attempt", job.nextAttemptAt.map { Words.time($0) })
    fact("Registered", detail.receipts.register.map { "HTTP \($0.status)\($0.location.map { ", \($0)" } ?? "")" })
    fact("At storage", job.remote.map { Self.words($0, detail.cleanup) })
    for (name, value) in detail.metadata.sorted(by: { $0.key < $1.key }) {
      fact("Metadata", "\(name) = \(value)" + (detail.withheld.contains(name) ? " (for the backend alone)" : ""))
    }
    for (name, part) in detail.captures.sorted(by: { $0.key < $1.key }) { fact("Part of name", "\(name) = \(part)") }
    fact("Admitted", "\(Words.time(job.createdAt)) (\(Words.age(now - job.createdAt)) ago)")
    fact("Released", job.released.map { "to \($0.to), by \(Words.user($0.by?.user ?? ""))" })
    fact("Finished", job.finishedAt.map { Words.time($0) })
    fact("File removed", job.path != nil ? nil : job.disposedAt.map { Words.time($0) })
    fact("Revision", String(job.revision))
  }

  private static func words(_ remote: Remote, _ cleanup: CleanupMessage?) -> String {
    guard let cleanup else { return remote.rawValue }
    var words = "\(remote.rawValue): \(cleanup.remove ? "the object will be deleted" : "checking for the object")"
    if let error = cleanup.error { words += ", last try: \(error.message.text)" }
    if let next = cleanup.nextAttemptAt { words += ", next try: \(Words.time(next))" }
    return words
  }

  private mutating func add(_ text: String, _ style: Terminal.Style = .plain, indent: Int = 0) {
    lines += terminal.lines(DisplayText.escape(text), style, indent: indent)
  }

  /// Adds texts that are safe for a terminal, below a heading.
  private mutating func add(_ heading: String, _ texts: [String]) {
    guard !texts.isEmpty else { return }
    lines += ["", heading] + texts.flatMap { terminal.lines("  " + $0, indent: 4) }
  }

  private mutating func fact(_ name: String, _ value: String?) {
    guard let value else { return }
    let padding = String(repeating: " ", count: max(1, 14 - name.count))
    // Keys, links and paths have no spaces to break at, so they can be copied whole.
    add(name + padding + value, indent: 14)
  }
}

extension HoldMessage {
  func inWords(_ now: Timestamp) -> String {
    let age = since.map { ", for \(Words.age(now - $0))" } ?? ""
    let place = host.map { DisplayText.escape($0) + ": " } ?? ""
    if reason == "paused" {
      let what = target == .recovered ? "everything (the ledger was lost or restored)" : destination
      let by = by.map { " by \(Words.user($0.user))" } ?? ""
      return "\(place)\(what) is paused\(by)\(age): \(remedy)"
    }
    let way = wayOfNextTry.map { " (\($0))" } ?? ""
    let end = until.map { ", next try at \(Words.time($0))\(way)" } ?? ""
    return "\(place)\(said)\(age)\(end): \(remedy)"
  }
}
