import Jobs
import Linux

/// Prompts that one key answers, however long it takes.
extension AskSession {
  /// The answer to a prompt.
  enum Pressed {
    case key(Character)
    case end(End)
  }

  /// Shows a prompt (also after the program was stopped and continues), and the key that answers it.
  func key(at prompt: String) async throws -> Pressed {
    while true {
      try await person.prepare()
      person.write(prompt)
      switch try await input() {
      case .signal(let number):
        person.write("\n")
        return .end(.signal(number))
      case .end:
        person.write("\n")
        return .end(.quit)
      case .resumed: continue
      case .key(let key):
        person.write("\(key.isWhitespace ? " " : DisplayText.escape(String(key)))\n")
        return .key(key)
      }
    }
  }

  /// The confirmation before an answer is sent.
  enum Confirmation {
    case send, undo
    case end(End)
  }

  /// Asks for a confirmation: s or Enter sends, u does not.
  func confirmation(_ prompt: String) async throws -> Confirmation {
    while true {
      switch try await key(at: prompt) {
      case .end(let end): return .end(end)
      case .key("u"), .key("U"): return .undo
      case .key(let key): if key == "s" || key == "S" || key.isNewline { return .send }
      }
    }
  }

  private enum Input {
    case key(Character)
    case resumed
    case end
    case signal(Int32)
  }

  private func input() async throws -> Input {
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
}
