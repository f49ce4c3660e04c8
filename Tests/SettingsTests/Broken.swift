import ChildProcesses
import Testing

struct Broken: CustomTestStringConvertible {
  let change: Change
  var said: [String]

  enum Change {
    case line(Int, String)
    /// Lines after the smallest file, which ends with its spool; the first is line 10.
    case after(String)
    case all(String)
  }

  var testDescription: String { said.first ?? "" }

  init(_ change: Change, _ said: String...) {
    self.change = change
    self.said = said
  }

  /// The rows of a text. The first line of each is its change: a line's number and what is there instead, or + and what comes after the
  /// file, or = and another file, with ⏎ between lines. The lines below, which are indented, are what is said.
  static func rows(_ text: String) -> [Broken] {
    var rows: [Broken] = []
    for line in text.split(separator: "\n") {
      guard !line.hasPrefix("  ") else {
        rows[rows.count - 1].said.append(String(line.dropFirst(2)))
        continue
      }
      let mark = line.prefix { $0 != " " }
      let lines = String(line.dropFirst(mark.count + 1)).replacing("⏎", with: "\n")
      rows.append(Broken(Int(mark).map { Change.line($0, lines) } ?? (mark == "=" ? .all(lines) : .after(lines))))
    }
    return rows
  }

  var text: String {
    switch change {
    case .all(let text): return text
    case .after(let lines): return Sample.smallest + lines + "\n"
    case .line(let number, let line):
      var lines = Sample.smallest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      lines[number - 1] = line
      return lines.joined(separator: "\n")
    }
  }

  func check(in directory: TemporaryFolder) throws {
    let problems = try Sample.problems(text, in: directory)
    #expect(problems == said)
  }
}
