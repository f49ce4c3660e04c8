import ControlAPI
import Jobs
import LinuxFiles

/// A person goes through the open questions.
struct AskSession {
  /// How it ended.
  enum End {
    case quit
    case signal(Int32)
  }

  /// What became of one question.
  private enum Turn {
    case next
    case end(End)
  }

  /// What became of all of them.
  private struct Tally {
    var retried = 0
    var cancelled = 0
    var linked = 0
    var skipped = 0
    var elsewhere = 0
  }

  private let client: ControlClient
  private let person: Person
  private let terminal: Terminal
  private var questions: OpenQuestions
  private var tally = Tally()

  init(client: ControlClient, filter: JobFilter, person: Person, terminal: Terminal) {
    self.client = client
    self.person = person
    self.terminal = terminal
    questions = OpenQuestions(client: client, filter: filter)
  }

  /// Asks until the person ends it.
  mutating func run() async throws -> End {
    while true {
      let turn: Turn
      if let job = try await questions.next() {
        turn = try await ask(job)
      } else {
        turn = try await waitForQuestions()
      }
      if case .end(let end) = turn { return end }
    }
  }

  /// What was done, in a line.
  func summary() async -> String {
    let parts = [
      (tally.retried, "retried"), (tally.linked, "given a link"), (tally.cancelled, "cancelled"),
      (tally.skipped, "skipped"), (tally.elsewhere, "answered by others"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let done = parts.isEmpty ? "Nothing was answered" : parts.joined(separator: ", ")
    guard let open = await openCount() else { return done + "." }
    return done
      + (open == 0 ? "; no question is open." : "; \(Words.count(open, "question is", "questions are")) open.")
  }

  /// Nothing is open: looks once a second.
  private mutating func waitForQuestions() async throws -> Turn {
    try await person.prepare()
    let words = tally.skipped == 0 ? "No question is left." : "No question is left but what you have skipped."
    person.write("\(terminal.styled(words, .good)) New ones appear here; q quits.\n")
    while true {
      switch try await person.key() {
      case .key("q"), .key("Q"), .end: return .end(.quit)
      case .signal(let number): return ended(by: number)
      case .resumed: person.write("New questions appear here; q quits.\n")
      case .key, .line, .nothing: break
      }
      if let job = try await questions.next() { return try await ask(job) }
    }
  }

  /// Asks one question until it is answered, put off, or answered by somebody else.
  private mutating func ask(_ job: JobMessage) async throws -> Turn {
    try await show(job)
    while true {
      var turn: Turn?
      switch try await person.key() {
      case .signal(let number): turn = ended(by: number)
      case .end:
        person.write("\n")
        turn = .end(.quit)
      case .resumed: break
      case .nothing, .line:
        if try await isStillOpen(job) { continue }
        turn = .next
      case .key(let key):
        person.write("\(key.isWhitespace ? " " : DisplayText.escape(String(key)))\n")
        turn = try await act(key, on: job)
      }
      if let turn { return turn }
      try await show(job)
    }
  }

  /// Does what a key says; nil where the question is to be asked again.
  private mutating func act(_ key: Character, on job: JobMessage) async throws -> Turn? {
    switch key {
    case "r", "R", "y", "Y":
      return try await answer(.confirm(), job) { $0.retried += 1 }
    case "c", "C", "n", "N":
      switch try await person.line("Reason (Enter for none): ") {
      case .line(let bytes):
        let reason = String(decoding: bytes, as: UTF8.self).trimmed
        return try await answer(.cancel(reason: reason.isEmpty ? nil : reason), job) { $0.cancelled += 1 }
      case .signal(let number): return ended(by: number)
      default: return unanswered()
      }
    case "l", "L":
      guard job.step == .upload else {
        person.write("It is uploaded and has its link: \(DisplayText.escape(job.link ?? "")).\n")
        return nil
      }
      switch try await person.line("Link (Enter for none): ") {
      case .line(let bytes):
        let link = String(decoding: bytes, as: UTF8.self).trimmed
        if link.isEmpty { return unanswered() }
        return try await answer(.confirm(link: link), job) { $0.linked += 1 }
      case .signal(let number): return ended(by: number)
      default: return unanswered()
      }
    case "s", "S":
      questions.putOff(job)
      tally.skipped += 1
      return .next
    case "q", "Q": return .end(.quit)
    default:
      person.write(Self.help)
      return nil
    }
  }

  private func ended(by signal: Int32) -> Turn {
    person.write("\n")
    return .end(.signal(signal))
  }

  private func unanswered() -> Turn? {
    person.write("\nIt stays open.\n")
    return nil
  }

  /// Answers what the person has seen and nothing newer; nil where the question is to be asked again.
  private mutating func answer(
    _ command: Command, _ job: JobMessage, _ count: (inout Tally) -> Void
  ) async throws -> Turn? {
    do throws(ControlError) {
      let answer = try await client.carryOut(
        command, on: .number(JobNumber(rawValue: job.job)), revision: job.revision)
      person.write("\(DisplayText.escape(answer.message))\n")
      count(&tally)
      return .next
    } catch .problem(let problem) {
      person.write(terminal.styled(problem.inWords, .attention) + "\n")
      switch problem.status {
      case 404, 409:
        tally.elsewhere += 1
        return .next
      // What was typed is not taken, or not yet in this version: the question is as open as before.
      case 400, 413, 501: return nil
      default: throw CommandFailure(.problem(problem))
      }
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Looks whether somebody else has answered while the person thinks, and says so.
  private mutating func isStillOpen(_ job: JobMessage) async throws -> Bool {
    let now: JobDetailMessage
    do throws(ControlError) {
      now = try await client.job(.number(JobNumber(rawValue: job.job)))
    } catch .problem(let problem) where problem.status == 404 {
      person.write("\n" + terminal.styled(problem.inWords, .attention) + "\n")
      tally.elsewhere += 1
      return false
    } catch {
      throw CommandFailure(error)
    }
    if now.job.revision == job.revision { return true }
    // A question that was asked anew comes again with its new words.
    person.write("\n" + terminal.styled(Self.change(now), .attention) + "\n")
    if now.job.state != .awaitingConfirmation { tally.elsewhere += 1 }
    return false
  }

  private static func change(_ detail: JobDetailMessage) -> String {
    let answers = ["confirmed", "cancelled", "retried", "released", "discarded"]
    guard let event = detail.history.last(where: { answers.contains($0.event) }) else {
      return "Job \(detail.job.job) is \(detail.job.state.rawValue) now."
    }
    let by = event.byUser.map { " by " + DisplayText.escape($0) } ?? ""
    return "Job \(detail.job.job) was \(event.event)\(by) at \(Words.time(event.at.timestamp))."
  }

  private func openCount() async -> Int? {
    // Where nobody answers any more, there is nothing to add to what was done.
    try? await client.status().counts[.awaitingConfirmation]
  }

  private func show(_ job: JobMessage) async throws {
    let open = await openCount().map { ", \($0) open" } ?? ""
    let width = terminal.columns ?? 80
    var facts = "spool \(DisplayText.escape(job.spool)), \(Words.bytes(job.size)), admitted "
    facts +=
      "\(Words.age(.now - job.createdAt.timestamp)) ago, asked \(Words.age(.now - job.updatedAt.timestamp)) ago, "
    facts += "\(job.step.rawValue) tried \(Words.count(job.attempt, "time", "times"))"
    let lines =
      ["", terminal.styled(TextWidth.fit("Job \(job.job): \(DisplayText.escape(job.name))", width), .heading)]
      + Folded.lines("  " + facts + open, width: width, indent: 2)
      + Folded.lines(DisplayText.escape(job.question ?? ""), width: width).map { terminal.styled($0, .attention) }
    let link = job.step == .upload ? "use this l)ink, " : ""
    try await person.prepare()
    person.write(lines.joined(separator: "\n") + "\nr)etry, c)ancel, \(link)s)kip, q)uit, ?: ")
  }

  private static let help = """
      r  retry: the failed step is tried again now
      c  cancel: the job ends here; its file is kept, and waybill retry takes it up again
      l  use this link: take a link of yours for the upload, and go on with the registration
      s  skip: the question stays open
      q  quit: all questions that are left stay open

    """
}

extension String {
  /// Without the white space around it.
  fileprivate var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
