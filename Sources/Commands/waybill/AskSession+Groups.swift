import CommandParts
import ControlAPI
import Jobs
import Linux
import Messages

/// Questions of the same kind, answered together.
extension AskSession {
  /// The number of open questions up to which they are asked one by one.
  static let few = 5
  /// The kinds that are listed: each has one digit.
  private static let mostListed = 9

  /// The questions of one kind, as they are shown.
  private struct Kind {
    var filter: JobFilter
    var digest: GroupDigest
    var count: Int
    var words: String
    /// The number of the first job.
    var first: Int64

    /// Creates a kind from a group; nil for the group of all further kinds.
    init?(_ group: ReasonGroup, of filter: JobFilter) {
      guard let number = group.group, let digest = group.digest else { return nil }
      var filter = filter
      filter.like = JobNumber(rawValue: number)
      self.filter = filter
      self.digest = digest
      (count, words, first) = (group.count, group.reason, number)
    }
  }

  /// Shows the kinds of questions, and asks for an answer to one of them.
  ///
  /// - Returns: nil if the questions are to be asked one by one from now on.
  mutating func askKinds() async throws -> Turn? {
    let filter = questions.filter
    let groups = try await calling { [client] () async throws(ControlError) in try await client.groups(filter) }.groups
    guard groups.map(\.count).saturatingSum > Self.few else { return nil }
    let listed = Array(groups.prefix(Self.mostListed))
    let digits = listed.count == 1 ? "1" : "1-\(listed.count)"
    let screen = Self.screen(groups, listed, terminal) + "\(digits): answer a whole kind, o)ne by one, q)uit: "
    while true {
      switch try await key(at: screen) {
      case .end(let end): return .end(end)
      case .key("q"), .key("Q"): return .end(.quit)
      case .key("o"), .key("O"): return nil
      case .key(let key):
        guard let digit = key.wholeNumberValue, listed.indices.contains(digit - 1) else { continue }
        return try await ask(all: listed[digit - 1], of: filter)
      }
    }
  }

  private static func screen(_ groups: [ReasonGroup], _ listed: [ReasonGroup], _ terminal: Terminal) -> String {
    let total = Words.grouped(groups.map(\.count).saturatingSum)
    let kinds = Words.count(groups.count, "kind", "kinds")
    var lines = ["", terminal.styled("\(total) questions of \(kinds)", .heading)]
    let width = listed.map { Words.grouped($0.count).count }.max() ?? 0
    for (index, group) in listed.enumerated() {
      let count = Words.grouped(group.count)
      let padding = String(repeating: " ", count: width - count.count)
      lines += Folded.lines(
        "  \(index + 1)  \(padding)\(count)  \(group.step.rawValue): \(DisplayText.escape(group.reason))",
        width: terminal.columns ?? 80, indent: 7 + width)
    }
    let rest = groups.count - listed.count
    if rest > 0 { lines.append("  and \(Words.count(rest, "more kind", "more kinds"))") }
    return lines.joined(separator: "\n") + "\n"
  }

  private mutating func ask(all group: ReasonGroup, of filter: JobFilter) async throws -> Turn {
    guard let kind = Kind(group, of: filter) else {
      person.write("These are of many kinds: they are asked one by one.\n")
      isOneByOne = true
      return .next
    }
    return try await ask(kind) ?? .next
  }

  /// Asks for one answer to all questions of this kind; returns nil if the person goes back to this question.
  mutating func askAll(like job: JobMessage) async throws -> Turn? {
    var all = questions.filter
    all.like = JobNumber(rawValue: job.job)
    let groups = try await calling { [client, all] () async throws(ControlError) in try await client.groups(all) }
      .groups
    guard let group = groups.first, let kind = Kind(group, of: questions.filter) else {
      person.write("There is no such question any more.\n")
      return .next
    }
    return try await ask(kind)
  }

  private mutating func ask(_ kind: Kind) async throws -> Turn? {
    let count = Words.grouped(kind.count)
    let jobs = kind.count == 1 ? "1 job" : "\(count) jobs"
    let lines = Folded.lines(
      "\(jobs): \(DisplayText.escape(kind.words)). The first: waybill show \(kind.first)", width: terminal.columns ?? 80
    )
    let prompt =
      "\n" + lines.map { terminal.styled($0, .attention) }.joined(separator: "\n")
      + "\nr)etry all, c)ancel all, o)ne by one, b)ack: "
    while true {
      switch try await key(at: prompt) {
      case .end(let end): return .end(end)
      case .key("r"), .key("R"): return try await send(.confirm(), to: kind, "retried")
      case .key("c"), .key("C"):
        switch try await person.line("Reason (Enter for none): ") {
        case .line(let bytes):
          let reason = String(decoding: bytes, as: UTF8.self).trimmed
          return try await send(.cancel(reason: reason.isEmpty ? nil : reason), to: kind, "cancelled")
        case .signal(let number): return ended(by: number)
        default: continue
        }
      case .key("o"), .key("O"):
        guard let first = try await self.first(of: kind) else {
          person.write("There is no such question any more.\n")
          return .next
        }
        questions = questions.narrowed(to: ReasonKey(of: first))
        isOneByOne = true
        return .next
      case .key("b"), .key("B"), .key("q"), .key("Q"): return nil
      case .key: continue
      }
    }
  }

  /// The first job of a kind; nil if it has another question by now.
  private func first(of kind: Kind) async throws -> JobMessage? {
    var query = ListQuery(filter: kind.filter, limit: 1)
    query.filter.states = [.awaitingConfirmation]
    return try await calling { [client, query] () async throws(ControlError) in try await client.jobs(query) }.jobs
      .first
  }

  /// Sends one answer to all questions of a kind, unless the person takes it back.
  private mutating func send(_ command: JobCommand, to kind: Kind, _ done: String) async throws -> Turn? {
    let jobs = kind.count == 1 ? "1 job" : "\(Words.grouped(kind.count)) jobs"
    switch try await confirmation("\(jobs) will be \(done). s)end, u)ndo: ") {
    case .send: break
    case .undo:
      person.write("Undone: nothing was sent.\n")
      return nil
    case .end(let end): return .end(end)
    }
    let answer: BulkAnswer
    do throws(ControlError) {
      answer = try await client.carryOut(command, on: .group(kind.filter, kind.digest))
    } catch .problem(let problem) where problem.status == 409 || problem.status == 404 {
      say(problem.inWords, .attention)
      return .next
    } catch {
      throw CommandFailure(error)
    }
    let refused = Words.grouped(answer.refused)
    let others = answer.refused > 0 ? " \(refused) had changed or come meanwhile, and were left as they are." : ""
    say("\(Words.grouped(answer.done)) \(done).\(others)")
    tally.elsewhere +|= answer.refused
    switch command {
    case .cancel: tally.cancelled +|= answer.done
    case .confirm, .retry, .release, .discard: tally.retried +|= answer.done
    }
    return .next
  }
}
