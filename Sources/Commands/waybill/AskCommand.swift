import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Messages

/// `waybill ask`
struct AskCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask", abstract: "Answer the open questions one after the other, at a terminal.",
    discussion: """
      One key answers a question:

      \(AskSession.keys.joined(separator: "\n"))

      Keys pressed before a question was shown are ignored. New questions appear until q. If somebody else has \
      answered one, the command shows who and when, and changes nothing.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var scope: ScopeOptions
  @Option(help: .error) var error: String?

  func run() async throws {
    guard Person.isThere else {
      throw CommandFailure.usage(
        """
        ask needs a terminal. Elsewhere, waybill list --by reason shows the questions in groups, and waybill confirm \
        and waybill cancel answer them
        """)
    }
    var filter = JobFilter(scope, error: error)
    filter.states = [.awaitingConfirmation]
    let client = try connection.client()
    // Reports at once, and not between two questions, that there is no daemon.
    _ = try await client.status()
    let person = try Person(stops: true)
    defer { person.restore() }
    let session = AskSession(client: client, filter: filter, person: person)
    do {
      try await session.run()
    } catch let end as Person.Ended {
      person.restore()
      if let open = await session.openCount() {
        person.write(
          open == 0 ? "No question is open.\n" : "\(Words.count(open, "question is", "questions are")) open.\n")
      }
      if let signal = end.signal { person.end(by: signal) }
    } catch {
      person.write("\n")
      throw error
    }
  }
}

/// A session in which a person goes through the open questions, in the order of their jobs, round after round, so that new ones are
/// found.
final class AskSession {
  private let client: ControlClient
  private let filter: JobFilter
  private let person: Person
  private let terminal = Terminal.standardOutput
  private var cursor: PageCursor?
  /// The questions that are not to be asked again: the revisions of jobs whose question was put off. A new question about the same
  /// job has another revision.
  private var putOff: [String: Int64] = [:]

  /// A session about the jobs that a filter finds.
  init(client: ControlClient, filter: JobFilter, person: Person) {
    (self.client, self.filter, self.person) = (client, filter, person)
  }

  /// Asks until the person ends the session.
  ///
  /// - Throws: `Person.Ended`.
  func run() async throws -> Never {
    while true {
      if let job = try await next() { try await ask(job) } else { try await waitForQuestions() }
    }
  }

  /// The number of open questions; nil if nobody answers.
  func openCount() async -> Int? {
    // Ignored: if nobody answers, the number is left out.
    try? await client.status().counts[.awaitingConfirmation]
  }

  /// Returns the next question; nil if all open questions have been put off.
  private func next() async throws -> JobMessage? {
    var isLastRound = cursor == nil
    while true {
      let page = try await client.jobs(ListQuery(filter: filter, after: cursor, limit: 20))
      if let job = page.jobs.first(where: { putOff[$0.id] != $0.revision }) {
        cursor = PageCursor(after: job)
        return job
      }
      cursor = page.next.flatMap { PageCursor($0) }
      guard cursor == nil else { continue }
      if isLastRound { return nil }
      isLastRound = true
    }
  }

  /// Waits while no question is open.
  private func waitForQuestions() async throws {
    let words = terminal.styled("No question is left to answer.", .good)
    var found: JobMessage?
    let key = try await person.key(
      at: { "\(words) New ones appear here; q quits.\n" },
      while: {
        found = try await next()
        return found == nil
      })
    if key?.lowercased() == "q" { throw Person.Ended() }
    if let found { try await ask(found) }
  }

  /// Asks one question until it is answered, put off, or answered by somebody else.
  private func ask(_ job: JobMessage) async throws {
    while let key = try await person.key(
      at: { await question(job) }, while: { try await isStillOpen(job) })
    {
      if try await act(key, on: job) { return }
    }
  }

  private func question(_ job: JobMessage) async -> String {
    let open = await openCount().map { ", \($0) open" } ?? ""
    let width = terminal.columns ?? 80
    let facts =
      "spool \(DisplayText.escape(job.spool)), \(Words.bytes(job.size)), admitted "
      + "\(Words.age(.now - job.createdAt)) ago, asked \(Words.age(.now - job.updatedAt)) ago, "
      + "\(job.step.rawValue) tried \(Words.count(job.attempt, "time", "times"))\(open)"
    let heading = TextWidth.fit("Job \(job.shownReference): \(DisplayText.escape(job.name))", width)
    let link = job.step == .upload ? "use this l)ink, " : ""
    return "\n\(terminal.styled(heading, .heading))\n" + folded("  " + facts, indent: 2)
      + folded(DisplayText.escape(job.question?.text ?? ""), .attention)
      + "r)etry, c)ancel, \(link)a)ll like this, s)kip, q)uit, ?: "
  }

  /// Checks whether somebody else has answered while the person thinks, and reports it.
  private func isStillOpen(_ job: JobMessage) async throws -> Bool {
    let now: JobDetailMessage
    do throws(ControlError) {
      now = try await client.job(job.reference)
    } catch {
      guard case .problem(let problem) = error, problem.status == 404 else { throw error }
      person.write("\n" + folded(problem.inWords, .attention))
      return false
    }
    if now.job.revision == job.revision { return true }
    // A question that was asked again is shown again with its new words.
    person.write("\n" + folded(Self.change(now), .attention))
    return false
  }

  private static func change(_ detail: JobDetailMessage) -> String {
    let answers = ["confirmed", "cancelled", "retried", "released", "discarded"]
    guard let event = detail.history.last(where: { answers.contains($0.event) }) else {
      return "Job \(detail.job.shownReference) is \(detail.job.stateWord) now."
    }
    let by = event.by.map { " by " + Words.user($0.user) } ?? ""
    return "Job \(detail.job.shownReference) was \(event.event)\(by) at \(Words.time(event.at))."
  }

  /// Returns a text in lines that fit the terminal.
  private func folded(_ text: String, _ style: Terminal.Style = .plain, indent: Int = 0) -> String {
    terminal.lines(text, style, indent: indent).map { $0 + "\n" }.joined()
  }
}

/// The answers. Each returns true if the next question comes, and false if the same one is asked again.
extension AskSession {
  /// The keys, for the manual and for the person who asks for them.
  fileprivate static let keys = [
    "  r   retry (y too): try the failed step again now",
    "  c   cancel (n too): the job stops; its file is kept, and retry starts it again",
    "  l   use this link: enter a link instead of the upload, and register it",
    "  a   all like this: give one answer to all questions of this kind",
    "  s   skip: the question stays open",
    "  q   quit (Ctrl-D too): the remaining questions stay open",
    "  ?   explain the keys",
  ]

  /// Carries out a key.
  private func act(_ key: Character, on job: JobMessage) async throws -> Bool {
    switch key.lowercased() {
    case "r", "y": return try await answer(.confirm(), job)
    case "c", "n":
      guard let command = try await cancellation() else { return unanswered() }
      return try await answer(command, job)
    case "l":
      guard job.step == .upload else {
        let link = DisplayText.escape(job.link ?? "")
        person.write(folded("The file is already uploaded. Its link is \(link)."))
        return false
      }
      guard let link = try await person.line("Link (Enter for none): "), !link.isEmpty else { return unanswered() }
      return try await answer(.confirm(link: link), job)
    case "a": return try await askAll(like: job)
    case "s":
      putOff[job.id] = job.revision
      return true
    case "q": throw Person.Ended()
    default:
      person.write(Self.keys.map { folded($0, indent: 6) }.joined() + "\n")
      return false
    }
  }

  /// Asks for a reason; nil if the input ends.
  private func cancellation() async throws -> JobCommand? {
    try await person.line("Reason (Enter for none): ").map { .cancel(reason: $0.isEmpty ? nil : $0) }
  }

  private func unanswered() -> Bool {
    person.write("\nThe question stays open.\n")
    return false
  }

  /// Answers the question that the person has seen, and no newer one.
  private func answer(_ command: JobCommand, _ job: JobMessage) async throws -> Bool {
    do throws(ControlError) {
      let answer = try await client.carryOut(command, on: job.reference, revision: job.revision)
      person.write(folded(DisplayText.escape(answer.message.text)))
      return true
    } catch {
      guard case .problem(let problem) = error, [400, 404, 409, 413, 422].contains(problem.status) else { throw error }
      person.write(folded(problem.inWords, .attention))
      // If the input is not accepted, the question stays open.
      return problem.status == 404 || problem.status == 409
    }
  }

  /// Asks for one answer to all questions of this kind.
  private func askAll(like job: JobMessage) async throws -> Bool {
    var filter = filter
    filter.like = JobNumber(rawValue: job.job)
    if let host = job.host {
      // there the group has a number of its own, which it has on all hosts
      filter.hosts = [host]
      let own = try await client.groups(filter).groups.first?.group
      filter.hosts = self.filter.hosts
      filter.like = own.map { JobNumber(rawValue: $0) } ?? filter.like
    }
    let groups = try await client.groups(filter).groups
    guard let group = groups.first, let number = group.group, let digest = group.digest else {
      person.write("There is no such question any more.\n")
      return true
    }
    filter.like = JobNumber(rawValue: number)
    let selection = JobSelection.group(filter, digest)
    let jobs = Words.count(group.count, "job", "jobs")
    let first = (group.host.map { DisplayText.escape($0) + ":" } ?? "") + String(group.first)
    let words = "\(jobs): \(DisplayText.escape(group.reason.text)). The first: waybill show \(first)"
    let prompt = "\n" + folded(words, .attention) + "r)etry all, c)ancel all, b)ack: "
    while true {
      switch try await person.key(at: { prompt })?.lowercased() {
      case "r": return try await send(.confirm(), to: selection, "\(jobs) will be retried", "retried")
      case "c":
        guard let command = try await cancellation() else { continue }
        return try await send(command, to: selection, "\(jobs) will be cancelled", "cancelled")
      case "b", "q": return false
      default: continue
      }
    }
  }

  /// Sends one answer to all questions of a kind, unless the person takes it back.
  private func send(
    _ command: JobCommand, to selection: JobSelection, _ plan: String, _ done: String
  ) async throws -> Bool {
    var isWanted = false
    while !isWanted, let key = try await person.key(at: { "\(plan). s)end, u)ndo: " }) {
      if key.lowercased() == "u" {
        person.write("Undone: nothing was sent.\n")
        return false
      }
      isWanted = key.lowercased() == "s" || key.isNewline
    }
    do throws(ControlError) {
      let answer = try await client.carryOut(command, on: selection)
      let refused = Words.grouped(answer.refused)
      let others = answer.refused > 0 ? " \(refused) had changed or come meanwhile, and were left as they are." : ""
      person.write(folded("\(Words.grouped(answer.done)) \(done).\(others)"))
    } catch {
      guard case .problem(let problem) = error, problem.status == 409 || problem.status == 404 else { throw error }
      person.write(folded(problem.inWords, .attention))
    }
    return true
  }
}
