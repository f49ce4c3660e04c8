import CommandParts
import ControlAPI
import Jobs
import Linux

/// A session in which a person goes through the open questions.
struct AskSession {
  /// The way in which the session ended.
  enum End {
    case quit
    case signal(Int32)
  }

  /// The result of one question.
  enum Turn {
    case next
    case end(End)
  }

  let client: ControlClient
  let person: Person
  let terminal: Terminal
  var questions: OpenQuestions

  init(client: ControlClient, filter: JobFilter, person: Person, terminal: Terminal) {
    self.client = client
    self.person = person
    self.terminal = terminal
    questions = OpenQuestions(client: client, filter: filter)
  }

  /// Asks until the person ends the session.
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

  /// The number of open questions, in one line; nil if nobody answers.
  func summary() async -> String? {
    await openCount().map {
      $0 == 0 ? "No question is open." : "\(Words.count($0, "question is", "questions are")) open."
    }
  }

  /// Waits while no question is open: looks once a second.
  private mutating func waitForQuestions() async throws -> Turn {
    try await person.prepare()
    person.write("\(terminal.styled("No question is left to answer.", .good)) New ones appear here; q quits.\n")
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

  /// Checks whether somebody else has answered while the person thinks, and reports it.
  private func isStillOpen(_ job: JobMessage) async throws -> Bool {
    let now: JobDetailMessage
    do throws(ControlError) {
      now = try await client.job(job.reference)
    } catch .problem(let problem) where problem.status == 404 {
      person.write("\n")
      say(problem.inWords, .attention)
      return false
    } catch {
      throw CommandFailure(error)
    }
    if now.job.revision == job.revision { return true }
    // A question that was asked again is shown again with its new words.
    person.write("\n")
    say(Self.change(now), .attention)
    return false
  }

  private static func change(_ detail: JobDetailMessage) -> String {
    let answers = ["confirmed", "cancelled", "retried", "released", "discarded"]
    guard let event = detail.history.last(where: { answers.contains($0.event) }) else {
      return "Job \(detail.job.shownReference) is \(detail.job.stateWord) now."
    }
    let by = event.by.map { " by " + Words.user($0.user) } ?? ""
    return "Job \(detail.job.shownReference) was \(event.event)\(by) at \(Words.time(event.at.timestamp))."
  }
}
