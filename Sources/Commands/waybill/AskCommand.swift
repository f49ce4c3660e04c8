import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Linux
import Messages

struct AskCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask", abstract: "Answer the open questions one after the other, at a terminal.",
    discussion: """
      Each answer is a line:

      \(answers.joined(separator: "\n"))

      Lines typed before a question was shown are ignored. If somebody else has answered one, the command shows who \
      and when, and changes nothing. For one answer to all questions of a kind, see list --by reason.
      """)

  private static let answers = [
    "  r          retry (y too): try the failed step again now",
    "  c [REASON] cancel (n too): the job stops; its file is kept, and retry starts it again",
    "  l LINK     use this link instead of an upload, and register it",
    "  s          skip: the question stays open",
    "  q          quit (Ctrl-D too): the remaining questions stay open",
    "  ?          explain the answers",
  ]

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var scope: ScopeOptions
  @Option(help: .error) var error: String?

  func run() async throws {
    guard TerminalInput.isThere else {
      throw CommandFailure.usage(
        """
        ask needs a terminal. Elsewhere, waybill list --by reason shows the questions in groups, and waybill confirm \
        and waybill cancel answer them
        """)
    }
    var filter = JobFilter(scope, error: error)
    filter.states = [.awaitingConfirmation]
    let client = try connection.client()
    var last: PageCursor?
    while let job = try await client.jobs(ListQuery(filter: filter, after: last, limit: 1)).jobs.first {
      last = PageCursor(after: job)
      guard try await ask(job, client) else { break }
    }
    let open = try await client.status().counts[.awaitingConfirmation] ?? 0
    Output.line(open == 0 ? "No question is open." : "\(Words.count(open, "question is", "questions are")) open.")
  }

  /// Asks one question until it is answered, by whomever, or skipped.
  /// - Returns: false if the person quits.
  private func ask(_ job: JobMessage, _ client: ControlClient) async throws -> Bool {
    Output.line()
    Output.folded("Job \(job.shownReference): \(DisplayText.escape(job.name))", .heading)
    Output.folded(
      "  spool \(DisplayText.escape(job.spool)), \(Words.bytes(job.size)), admitted \(Words.age(.now - job.createdAt)) "
        + "ago, asked \(Words.age(.now - job.updatedAt)) ago, \(job.step.rawValue) tried "
        + Words.count(job.attempt, "time", "times"))
    Output.folded(DisplayText.escape(job.question?.text ?? ""), .attention)
    let link = job.step == .upload ? "use this l)ink, " : ""
    while let line = TerminalInput.line("r)etry, c)ancel, \(link)s)kip, q)uit, ?: ") {
      let words = line.split(separator: " ", maxSplits: 1)
      let argument = words.count > 1 ? words[1].trimmed : ""
      switch (words.first?.lowercased(), argument.isEmpty) {
      case ("r", true), ("y", true): if try await answer(.confirm(), job, client) { return true }
      case ("c", _), ("n", _):
        if try await answer(.cancel(reason: argument.isEmpty ? nil : argument), job, client) { return true }
      case ("l", false) where job.step == .upload:
        if try await answer(.confirm(link: argument), job, client) { return true }
      case ("s", true): return true
      case ("q", true): return false
      default: for answer in Self.answers { Output.folded(answer) }
      }
    }
    Output.line()
    return false
  }

  /// Answers the question that the person has seen, and no newer one.
  /// - Returns: true if the question is not to be asked again.
  private func answer(_ command: JobCommand, _ job: JobMessage, _ client: ControlClient) async throws -> Bool {
    do throws(ControlError) {
      let answer = try await client.carryOut(command, on: job.reference, revision: job.revision)
      Output.folded(DisplayText.escape(answer.message.text))
      return true
    } catch {
      guard case .problem(let problem) = error, [400, 404, 409, 413, 422].contains(problem.status) else { throw error }
      Output.folded(problem.inWords, .attention)
      // An answer that is not accepted can be corrected.
      return problem.status == 404 || problem.status == 409
    }
  }
}

extension Substring {
  var trimmed: String {
    var text = self
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
