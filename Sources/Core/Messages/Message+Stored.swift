extension Message {
  /// The message as columns of the ledger and records keep it: JSON with the English text beside the code and the arguments. So a
  /// search finds the text, and a version that does not know the code can show it. A text without a code has no other member.
  public var stored: String {
    let words = "{\"text\":\(MessageJSON.quoted(text))"
    return code == "text"
      ? words + "}" : words + ",\"code\":\(MessageJSON.quoted(code)),\"arguments\":\(argumentsJSON)}"
  }

  /// Reads a message from the form of ``stored``. Text in any other form becomes a message without a code, and so does the text
  /// beside a code that this version does not know.
  public init(stored: String) {
    var reader = MessageReader(stored)
    guard let members = reader.object(), reader.isAtEnd, case .text(let words)? = members["text"] else {
      self = .text(stored)
      return
    }
    guard case .text(let code)? = members["code"], MessageTable.forms[code] != nil,
      case .object(let arguments)? = members["arguments"]
    else {
      self = .text(words)
      return
    }
    guard let values = MessageReader.values(arguments) else {
      self = .text(words)
      return
    }
    self.init(code: code, values)
  }
}

extension Message {
  /// Reads a message from JSON in the form of ``json``; nil for anything else. The code may be one that this version does not
  /// know.
  public init?(json: String) {
    var reader = MessageReader(json)
    guard let members = reader.object(), reader.isAtEnd, case .text(let code)? = members["code"] else { return nil }
    guard members.count == 2, case .object(let arguments)? = members["arguments"],
      let values = MessageReader.values(arguments)
    else { return nil }
    self.init(code: code, values)
  }
}

/// Reads the JSON of stored messages: objects, strings and numbers.
private struct MessageReader {
  enum Node {
    case text(String)
    case number(String)
    case object([String: Node])

    var value: Message.Value? {
      switch self {
      case .text(let text): .text(text)
      case .number(let digits): Int64(digits).map(Message.Value.number)
      case .object(let members): Self.value(of: members)
      }
    }

    private static func value(of members: [String: Node]) -> Message.Value? {
      if members.count == 2, case .text(let code)? = members["code"], case .object(let inner)? = members["arguments"] {
        return MessageReader.values(inner).map { .message(Message(code: code, $0)) }
      }
      guard members.count == 1 else { return nil }
      return switch (members["code"], members["arguments"], members["seconds"], members["bytes"], members["time"]) {
      case (_, _, .number(let digits)?, _, _): Double(digits).map { .duration(MessageJSON.duration($0)) }
      case (_, _, _, .number(let digits)?, _): Int64(digits).map(Message.Value.bytes)
      case (_, _, _, _, .text(let time)?): .time(time)
      default: nil
      }
    }
  }

  /// Returns the values of a message; nil if one of them is none.
  static func values(_ members: [String: Node]) -> [String: Message.Value]? {
    let values = members.compactMapValues(\.value)
    return values.count == members.count ? values : nil
  }

  /// The greatest depth of messages within messages that is read.
  private static let deepest = 32
  private var rest: Substring.UnicodeScalarView
  private var depth = 0

  init(_ text: String) { rest = text[...].unicodeScalars }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func object() -> [String: Node]? {
    guard depth < Self.deepest, skip("{") else { return nil }
    depth += 1
    defer { depth -= 1 }
    var members: [String: Node] = [:]
    if skip("}") { return members }
    repeat {
      guard let name = string(), skip(":"), let node = node(), members.updateValue(node, forKey: name) == nil else {
        return nil
      }
    } while skip(",")
    return skip("}") ? members : nil
  }

  private mutating func node() -> Node? {
    switch rest.first {
    case "\"": return string().map(Node.text)
    case "{": return object().map(Node.object)
    default:
      let digits = rest.prefix { "0123456789+-.eE".unicodeScalars.contains($0) }
      rest = rest.dropFirst(digits.count)
      // RFC 8259, section 6
      let text = String(digits)
      return text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+\-]?[0-9]+)?/) == nil ? nil : .number(text)
    }
  }

  private mutating func string() -> String? {
    guard skip("\"") else { return nil }
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return String(text)
      case "\\":
        guard let escaped = escape() else { return nil }
        text.append(escaped)
      case "\u{0}"..<"\u{20}": return nil
      default: text.append(scalar)
      }
    }
    return nil
  }

  private mutating func escape() -> Unicode.Scalar? {
    switch rest.popFirst() {
    case "\"": return "\""
    case "\\": return "\\"
    case "/": return "/"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "u":
      let digits = rest.prefix(4)
      rest = rest.dropFirst(4)
      guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
      return UInt32(String(digits), radix: 16).flatMap(Unicode.Scalar.init)
    default: return nil
    }
  }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }
}
