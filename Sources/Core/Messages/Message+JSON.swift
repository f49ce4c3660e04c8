/// A message as JSON: `{"arguments":{"path":"/srv/a.pdf"},"code":"file-gone"}`, its members sorted.
///
/// A text is a string and a count a number. The others say what they are: `{"seconds":2.5}`, `{"bytes":1024}`,
/// `{"time":"2026-11-21T00:00:00Z"}`, and a message is an object with its code.
enum MessageJSON {
  static func append(_ message: Message, to text: inout String) {
    text += "{\"arguments\":"
    append(message.arguments, to: &text)
    text += ",\"code\":\(quoted(message.code))}"
  }

  static func append(_ arguments: [String: Message.Value], to text: inout String) {
    text += "{"
    var isFirst = true
    for (name, value) in arguments.sorted(by: { $0.key < $1.key }) {
      if !isFirst { text += "," }
      isFirst = false
      text += quoted(name) + ":"
      switch value {
      case .text(let words): text += quoted(words)
      case .number(let number): text += String(number)
      case .duration(let duration): text += "{\"seconds\":\(seconds(duration))}"
      case .bytes(let bytes): text += "{\"bytes\":\(bytes)}"
      case .time(let time): text += "{\"time\":\(quoted(time))}"
      case .message(let inner): append(inner, to: &text)
      }
    }
    text += "}"
  }

  /// Whole microseconds are exact as a decimal fraction.
  private static func seconds(_ duration: Duration) -> String {
    let value = number(duration)
    return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }

  static func number(_ duration: Duration) -> Double {
    let parts = duration.components
    return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
  }

  static func duration(_ seconds: Double) -> Duration {
    guard seconds.isFinite, abs(seconds) < 1e12 else { return .zero }
    return .microseconds(Int64((seconds * 1_000_000).rounded()))
  }

  /// Returns a text as a string of JSON (RFC 8259, section 7).
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case "\u{8}": quoted += "\\b"
      case "\u{C}": quoted += "\\f"
      case "\u{0}"..<"\u{20}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension Message {
  /// The message as JSON in one line, its members sorted.
  public var json: String {
    var text = ""
    MessageJSON.append(self, to: &text)
    return text
  }

  /// Its arguments as JSON in one line.
  public var argumentsJSON: String {
    var text = ""
    MessageJSON.append(arguments, to: &text)
    return text
  }
}
