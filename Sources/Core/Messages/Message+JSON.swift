/// A message as JSON with its English text beside its code and its arguments:
/// `{"text":"…","code":"spool-disappeared","arguments":{"path":"/srv/a.pdf"}}`. So a search finds the text, and a version that does not
/// know the code can show it. A text without a code has no other member. Columns of the ledger, records and copies have this form.
///
/// Among the arguments a text is a string and a count a number. The others say what they are: `{"seconds":2.5}`, `{"bytes":1024}`,
/// `{"time":"2026-11-21T00:00:00Z"}`, and a message is an object with its code and arguments.
extension Message {
  /// The message in that form, in one line.
  public var stored: String {
    var json = JSONText(texts: .coded)
    json.value(self)
    return json.string
  }

  /// Reads a stored message. A text in another form, such as that of another program, has no code.
  public init(stored: String) {
    do throws(JSONFault) {
      self = try Message(json: .object(try JSONReader.object(Array(stored.utf8))))
    } catch {
      self = .text(stored)
    }
  }

  /// Its arguments as JSON in one line.
  public var argumentsJSON: String {
    var text = JSONText()
    text.value(arguments)
    return text.string
  }

  /// Reads a text in either form: a string is a text without a code, and so is the text of a message with an unknown code or invalid
  /// arguments.
  package init(json: JSONNode) throws(JSONFault) {
    if case .text(let words) = json {
      self = .text(words)
      return
    }
    var members = try json.object()
    let words = try members.member("text").text()
    do throws(JSONFault) {
      let message = try Message(coded: json)
      self = MessageTable.forms[message.code] == nil ? .text(words) : message
    } catch {
      // Ignored: the words beside the code say the same.
      self = .text(words)
    }
  }

  /// Reads the code and the arguments. The code may be one that this version does not know.
  fileprivate init(coded json: JSONNode) throws(JSONFault) {
    var members = try json.object()
    var arguments: [String: Value] = [:]
    for member in try members.member("arguments").object().members { arguments[member.name] = try Value(member.value) }
    self.init(code: try members.member("code").text(), arguments)
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
      case "code": self = .message(try Message(coded: json))
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

/// The form in which JSON has texts that are messages.
public enum TextForm: Hashable, Sendable {
  /// The words alone, in the language of the reader.
  case words(ReaderLanguage)
  /// An object with the English text, the code and the arguments, for copies.
  case coded
}

extension JSONText {
  package mutating func member(_ name: String, _ message: Message?) {
    key(name)
    if let message { value(message) } else { null() }
  }

  /// Writes a message in the form that the text has.
  package mutating func value(_ message: Message) {
    switch texts {
    case .words(let language): value(message.text(in: language))
    case .coded:
      object { json in
        json.member("text", message.text)
        guard message.code != "text" else { return }
        json.member("code", message.code)
        json.key("arguments")
        json.value(message.arguments)
      }
    }
  }

  fileprivate mutating func value(_ arguments: [String: Message.Value]) {
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
        case .message(let inner):
          text.object { text in
            text.key("arguments")
            text.value(inner.arguments)
            text.member("code", inner.code)
          }
        }
      }
    }
  }
}
