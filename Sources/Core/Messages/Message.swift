/// A message to a person, by its code and its arguments. English and Chinese are two renderings of it, from one table. Words from outside,
/// such as a server's, are a ``text(_:)``.
///
/// A code never changes its meaning, and its arguments keep their names, because programs read both. For each code there is a
/// function that creates the message (``spoolDisappeared(path:)``), which a plugin makes of the tables in `Table`.
public struct Message: Hashable, Sendable {
  /// The name of the message, e.g. `spool-disappeared`; `text` for words without a code, such as those of a server.
  public var code: String
  /// The values of the message's placeholders, by their names.
  var arguments: [String: Value]

  /// A value in a message.
  public enum Value: Hashable, Sendable {
    /// A name, a path, an address, or words.
    case text(String)
    /// A count or another whole number.
    case number(Int64)
    case duration(Duration)
    case bytes(Int64)
    /// A moment, as in RFC 3339.
    case time(String)
    /// A message within the message, such as its reason.
    case message(Message)
  }

  /// Creates a message by its code, for the functions made from the table and for those that read JSON.
  init(code: String, _ arguments: [String: Value] = [:]) {
    self.code = code
    self.arguments = arguments
  }

  /// Returns the message with each text in it, at any depth, replaced by what the function returns: escaped, or without a secret.
  public func mapTexts(_ change: (String) -> String) -> Message {
    Message(
      code: code,
      arguments.mapValues { value in
        switch value {
        case .text(let text): .text(change(text))
        case .message(let inner): .message(inner.mapTexts(change))
        case .number, .duration, .bytes, .time: value
        }
      })
  }

  /// The message with its code alone, without names. Its text has `…` for each value.
  public var withoutArguments: Message { Message(code: code) }

  /// Returns the message after a function, such as escaping or masking, changed its English text as a whole. The message keeps
  /// its code if the same change of each text in it gives that result; else it becomes a text without a code.
  public func changed(_ change: (String) -> String) -> Message {
    let words = text
    let wanted = change(words)
    if wanted == words { return self }
    let message = mapTexts(change)
    return message.text == wanted ? message : .text(wanted)
  }

  /// Returns the part that two messages share, with `…` for the texts that differ; nil if they are different messages.
  public func shared(with other: Message) -> Message? {
    guard code == other.code, arguments.count == other.arguments.count else { return nil }
    var shared = self
    for (name, value) in arguments where other.arguments[name] != value {
      guard let theirs = other.arguments[name] else { return nil }
      if case (.message(let one), .message(let two)) = (value, theirs), let inner = one.shared(with: two) {
        shared.arguments[name] = .message(inner)
      } else {
        shared.arguments[name] = .text("…")
      }
    }
    return shared
  }
}

extension Message: CustomStringConvertible {
  /// The same as ``text``.
  public var description: String { text }
}

extension Message {
  /// The message if it has a code; nil for a text without one.
  public var coded: Message? { code == "text" ? nil : self }
}
