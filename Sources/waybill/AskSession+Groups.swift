import CommandParts
import ControlAPI
import Jobs
import LinuxFiles

/// Questions of the same kind, answered together.
extension AskSession {
  /// The number of open questions up to which they are asked one by one.
  static let few = 5
  /// The kinds that are listed: each has one digit.
  private static let mostListed = 9

  /// The questions of one kind.
  private struct Kind {
    var filter: JobFilter
    var count: Int
    var words: String
    /// The number of the first job.
    var first: Int64?
  }

  /// Shows the kinds of questions, and has one of them answered.
  ///
  /// - Returns: nil if the questions are to be asked one by one from now on.
  mutating func askKinds() async throws -> Turn? {
    let filter = questions.filter
    let groups = try await calling { [client] () async throws(ControlError) in try await client.groups(filter) }.groups
    guard groups.reduce(0, { $0 + $1.count }) > Self.few else { return nil }
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
    let total = Words.grouped(groups.reduce(0) { $0 + $1.count })
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
    guard let number = group.group else {
      person.write("These are of many kinds: they are asked one by one.\n")
      return .next
    }
    var all = filter
    all.like = JobNumber(rawValue: number)
    return try await ask(Kind(filter: all, count: group.count, words: group.reason, first: group.group)) ?? .next
  }

  /// Has all questions of the same kind as this one answered; returns nil if the person goes back to this one.
  mutating func askAll(like job: JobMessage) async throws -> Turn? {
    var all = questions.filter
    all.like = JobNumber(rawValue: job.job)
    let groups = try await calling { [client, all] () async throws(ControlError) in try await client.groups(all) }
      .groups
    guard let group = groups.first else {
      person.write("There is no such question any more.\n")
      return .next
    }
    return try await ask(Kind(filter: all, count: group.count, words: group.reason, first: group.group))
  }

  private mutating func ask(_ kind: Kind) async throws -> Turn? {
    let count = Words.grouped(kind.count)
    let jobs = kind.count == 1 ? "1 job" : "\(count) jobs"
    let first = kind.first.map { ". The first: waybill show \($0)" } ?? ""
    let lines = Folded.lines("\(jobs): \(DisplayText.escape(kind.words))\(first)", width: terminal.columns ?? 80)
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
        questions = OpenQuestions(client: client, filter: kind.filter)
        isOneByOne = true
        return .next
      case .key("b"), .key("B"), .key("q"), .key("Q"): return nil
      case .key: continue
      }
    }
  }

  /// Sends one answer to all questions of a kind, unless the person takes it back.
  private mutating func send(_ command: Command, to kind: Kind, _ done: String) async throws -> Turn? {
    let jobs = kind.count == 1 ? "1 job" : "\(Words.grouped(kind.count)) jobs"
    switch try await confirmation("\(jobs) will be \(done). s)end, u)ndo: ") {
    case .send: break
    case .undo:
      person.write("Undone: nothing was sent.\n")
      return nil
    case .end(let end): return .end(end)
    }
    let answer = try await calling { [client] () async throws(ControlError) in
      try await client.carryOut(command, on: .filter(kind.filter))
    }
    person.write("\(Words.grouped(answer.done)) \(done).")
    if answer.refused > 0 {
      person.write(" \(Words.grouped(answer.refused)) had changed meanwhile, and were left as they are.")
      tally.elsewhere += answer.refused
    }
    person.write("\n")
    switch command {
    case .cancel: tally.cancelled += answer.done
    case .confirm, .retry, .release, .discard: tally.retried += answer.done
    }
    return .next
  }
}
