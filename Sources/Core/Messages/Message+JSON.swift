/// A message as JSON: `{"arguments":{"path":"/srv/a.pdf"},"code":"spool-disappeared"}`, its members sorted.
///
/// A text is a string and a count a number. The others say what they are: `{"seconds":2.5}`, `{"bytes":1024}`,
/// `{"time":"2026-11-21T00:00:00Z"}`, and a message is an object with its code.
extension Message {
  /// The message as JSON in one line, its members sorted.
  public var json: String {
    var text = JSONText()
    text.value(self)
    return text.string
  }

  /// Its arguments as JSON in one line.
  public var argumentsJSON: String {
    var text = JSONText()
    text.value(arguments)
    return text.string
  }

  /// Reads a message from JSON as ``json`` has it; nil for anything else. The code may be one that this version does not know.
  public init?(json: String) {
    do throws(JSONFault) {
      self = try Message(JSONReader.value(Array(json.utf8)))
    } catch {
      return nil
    }
  }

  /// Reads a message. The code may be one that this version does not know.
  package init(_ json: JSONNode) throws(JSONFault) {
    var members = try json.object()
    let values = try members.member("arguments")
    self.init(code: try members.member("code").text(), try Self.arguments(values))
  }

  private static func arguments(_ json: JSONNode) throws(JSONFault) -> [String: Value] {
    var arguments: [String: Value] = [:]
    for member in try json.object().members { arguments[member.name] = try Value(member.value) }
    return arguments
  }
}

extension Message.Value {
  fileprivate init(_ json: JSONNode) throws(JSONFault) {
    switch json {
    case .text(let text): self = .text(text)
    case .number: self = .number(try json.integer())
    default:
      var members = try json.object()
      let names = members.members.map(\.name)
      switch ["code", "seconds", "bytes"].first(where: names.contains) {
      case "code": self = .message(try Message(json))
      case "seconds": self = .duration(Self.duration(try members.member("seconds").double()))
      case "bytes": self = .bytes(try members.member("bytes").integer())
      default: self = .time(try members.member("time").text())
      }
    }
  }

  /// Whole microseconds are exact as a decimal fraction.
  static func seconds(_ duration: Duration) -> Double {
    let parts = duration.components
    return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
  }

  static func duration(_ seconds: Double) -> Duration {
    guard seconds.isFinite, abs(seconds) < 1e12 else { return .zero }
    return .microseconds(Int64((seconds * 1_000_000).rounded()))
  }
}

extension JSONText {
  /// Writes a member with a message; nil is null.
  package mutating func member(_ name: String, _ message: Message?) {
    guard let message else { return member(name, json: nil) }
    key(name)
    value(message)
  }

  /// Writes a message.
  mutating func value(_ message: Message) {
    object { text in
      text.key("arguments")
      text.value(message.arguments)
      text.member("code", message.code)
    }
  }

  mutating func value(_ arguments: [String: Message.Value]) {
    object { text in
      for (name, value) in arguments.sorted(by: { $0.key < $1.key }) {
        text.key(name)
        switch value {
        case .text(let words): text.value(words)
        case .number(let number): text.value(number)
        case .duration(let duration):
          text.object { text in
            text.key("seconds")
            text.value(Message.Value.seconds(duration))
          }
        case .bytes(let bytes): text.object { $0.member("bytes", bytes) }
        case .time(let time): text.object { $0.member("time", time) }
        case .message(let inner): text.value(inner)
        }
      }
    }
  }
}
