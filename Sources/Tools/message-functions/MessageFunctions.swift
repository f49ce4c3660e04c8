import FoundationEssentials

/// `message-functions TABLE… OUTPUT` makes Swift of the tables of messages: a function for each message, and all forms.
///
/// An entry of a table is a code and two lines: its words in English and in Chinese. `{name}` is the place of a value; in English it
/// has the type: `{name}` a text, `{name:number}`, `{name:bytes}`, `{name:duration}` (`1h 30min`), `{name:seconds}` (`2.5 seconds`),
/// `{name:time}` (RFC 3339), `{name:message}` a message in it, `{name:clause}` the same without its full stop, `{name:noun}` and
/// `{name:Noun}` a step as a noun, `{name:word}` a name of the interface, with spaces. In Chinese, `{name:word}` is its translation,
/// and `{name:name}` that of a side or of a call on files.
@main
enum MessageFunctions {
  static func main() throws {
    let paths = CommandLine.arguments.dropFirst()
    guard let output = paths.last, paths.count > 1 else { throw TableFault("usage", "message-functions TABLE… OUTPUT") }
    var codes: Set<String> = []
    var topics: [String] = []
    var text = "// Made from the tables of messages.\n"
    for path in paths.dropLast().sorted() {
      let entries = try TableEntry.entries(of: URL(filePath: path))
      for entry in entries where !codes.insert(entry.code).inserted {
        throw TableFault(path, "\(entry.code) is in another entry already")
      }
      let topic = URL(filePath: path).deletingPathExtension().lastPathComponent
      topics.append(topic)
      text += "\nextension Message {\n\(entries.map(\.function).joined(separator: "\n"))}\n"
      text += "\nextension MessageTable {\n  private static let \(topic): [MessageForm] = [\n"
      text += "\(entries.map(\.form).joined())  ]\n}\n"
    }
    text += "\nextension MessageTable {\n  /// The forms of all topics.\n"
    text += "  package static let all: [MessageForm] = [\(topics.joined(separator: ", "))].flatMap(\\.self)\n}\n"
    try Data(text.utf8).write(to: URL(filePath: output))
  }
}
