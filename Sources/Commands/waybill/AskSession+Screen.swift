import CommandParts
import ControlAPI
import Jobs
import Linux
import Messages

extension AskSession {
  /// The answer to a prompt.
  enum Pressed {
    case key(Character)
    case end(End)
  }

  /// Shows a prompt (also after the program was stopped and continues), and returns the key that answers it, however long it takes.
  func key(at prompt: String) async throws -> Pressed {
    try await person.prepare()
    person.write(prompt)
    while true {
      switch try await person.key() {
      case .signal(let number):
        person.write("\n")
        return .end(.signal(number))
      case .end:
        person.write("\n")
        return .end(.quit)
      case .resumed:
        try await person.prepare()
        person.write(prompt)
      case .key(let key):
        person.write("\(key.isWhitespace ? " " : DisplayText.escape(String(key)))\n")
        return .key(key)
      case .line, .nothing: continue
      }
    }
  }

  func openCount() async -> Int? {
    // Ignored: if nobody answers, the number of open questions is left out.
    try? await client.status().counts[.awaitingConfirmation]
  }

  /// Writes a text in lines that fit the terminal.
  func say(_ text: String, _ style: Terminal.Style = .plain, indent: Int = 0) {
    let lines = Folded.lines(text, width: terminal.columns ?? 80, indent: indent)
    person.write(lines.map { terminal.styled($0, style) + "\n" }.joined())
  }

  func show(_ job: JobMessage) async throws {
    let open = await openCount().map { ", \($0) open" } ?? ""
    let width = terminal.columns ?? 80
    var facts = "spool \(DisplayText.escape(job.spool)), \(Words.bytes(job.size)), admitted "
    facts +=
      "\(Words.age(.now - job.createdAt.timestamp)) ago, asked \(Words.age(.now - job.updatedAt.timestamp)) ago, "
    facts += "\(job.step.rawValue) tried \(Words.count(job.attempt, "time", "times"))"
    let lines =
      [
        "",
        terminal.styled(TextWidth.fit("Job \(job.shownReference): \(DisplayText.escape(job.name))", width), .heading),
      ]
      + Folded.lines("  " + facts + open, width: width, indent: 2)
      + Folded.lines(DisplayText.escape(job.question?.text ?? ""), width: width).map { terminal.styled($0, .attention) }
    let link = job.step == .upload ? "use this l)ink, " : ""
    try await person.prepare()
    person.write(lines.joined(separator: "\n") + "\nr)etry, c)ancel, \(link)a)ll like this, s)kip, q)uit, ?: ")
  }
}
