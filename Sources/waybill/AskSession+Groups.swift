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
    while true {
      try await person.prepare()
      let digits = listed.count == 1 ? "1" : "1-\(listed.count)"
      person.write(Self.screen(groups, listed, terminal) + "\(digits): answer a whole kind, o)ne by one, q)uit: ")
      switch try await pressed() {
      case .signal(let number): return ended(by: number)
      case .end:
        person.write("\n")
        return .end(.quit)
      case .resumed: continue
      case .key(let key):
        person.write("\(key.isWhitespace ? " " : DisplayText.escape(String(key)))\n")
        switch key {
        case "q", "Q": return .end(.quit)
        case "o", "O": return nil
        default:
          guard let digit = key.wholeNumberValue, listed.indices.contains(digit - 1) else { continue }
          return try await ask(all: listed[digit - 1], of: filter)
        }
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
    while true {
      try await person.prepare()
      person.write("\n" + lines.map { terminal.styled($0, .attention) }.joined(separator: "\n"))
      person.write("\nr)etry all, c)ancel all, o)ne by one, b)ack: ")
      switch try await pressed() {
      case .signal(let number): return ended(by: number)
      case .end:
        person.write("\n")
        return .end(.quit)
      case .resumed: continue
      case .key(let key):
        person.write("\(key.isWhitespace ? " " : DisplayText.escape(String(key)))\n")
        switch key {
        case "r", "R": return try await send(.confirm(), to: kind, "retried")
        case "c", "C":
          switch try await person.line("Reason (Enter for none): ") {
          case .line(let bytes):
            let reason = String(decoding: bytes, as: UTF8.self).trimmed
            return try await send(.cancel(reason: reason.isEmpty ? nil : reason), to: kind, "cancelled")
          case .signal(let number): return ended(by: number)
          default: continue
          }
        case "o", "O":
          questions = OpenQuestions(client: client, filter: kind.filter)
          isOneByOne = true
          return .next
        case "b", "B", "q", "Q": return nil
        default: continue
        }
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

  /// An input at a prompt.
  private enum Pressed {
    case key(Character)
    case resumed
    case end
    case signal(Int32)
  }

  /// Waits for a key as long as it takes.
  private func pressed() async throws -> Pressed {
    while true {
      switch try await person.key() {
      case .key(let key): return .key(key)
      case .resumed: return .resumed
      case .end: return .end
      case .signal(let number): return .signal(number)
      case .line, .nothing: continue
      }
    }
  }

  private enum Confirmation {
    case send, undo
    case end(End)
  }

  /// Asks for the last word: s or Enter sends, u does not.
  private func confirmation(_ prompt: String) async throws -> Confirmation {
    while true {
      try await person.prepare()
      person.write(prompt)
      switch try await pressed() {
      case .signal(let number):
        person.write("\n")
        return .end(.signal(number))
      case .end:
        person.write("\n")
        return .end(.quit)
      case .resumed: continue
      case .key(let key):
        person.write("\(key.isWhitespace ? " " : DisplayText.escape(String(key)))\n")
        if key == "s" || key == "S" || key.isNewline { return .send }
        if key == "u" || key == "U" { return .undo }
      }
    }
  }
}
