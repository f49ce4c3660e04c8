/// One element of an XML document such as S3 answers with: its name without a prefix, its text, its child elements.
///
/// Only what S3 speaks is read: elements, text, CDATA, the five named entities and character references (XML 1.0).
/// Attributes, comments and processing instructions are skipped. A document type is refused, so that there are neither
/// external entities nor ones that grow.
struct XMLElement: Hashable, Sendable {
  /// The longest document that is read, in bytes.
  static let limit = 64 * 1024
  /// The deepest nesting that is read.
  static let deepest = 32

  var name: String
  /// The text directly in the element, pieced together.
  var text: String
  var children: [XMLElement]

  /// The first child with this name.
  subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

  /// The root element of a document; nil for what is not well-formed, too long or too deep.
  static func parse(_ document: [UInt8]) -> XMLElement? {
    guard document.count <= limit, let text = String(validating: document, as: UTF8.self) else { return nil }
    var reader = XMLReader(text)
    return reader.document()
  }
}

/// Reads a document from its beginning to its end, one element within another. Each step gives nil for what is malformed.
private struct XMLReader {
  private var rest: Substring.UTF8View

  init(_ text: String) {
    let start = text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? text.utf8.dropFirst(3) : text.utf8[...]
    rest = start
  }

  mutating func document() -> XMLElement? {
    guard skipMisc(), let root = element(depth: 1), skipMisc(), rest.isEmpty else { return nil }
    return root
  }

  private mutating func element(depth: Int) -> XMLElement? {
    guard depth <= XMLElement.deepest, take("<"), let name = name(), let isEmpty = endOfTag() else { return nil }
    var element = XMLElement(name: Self.local(name), text: "", children: [])
    if isEmpty { return element }
    while true {
      if take("</") {
        guard self.name() == name, skipBlanks(), take(">") else { return nil }
        return element
      } else if take("<![CDATA[") {
        guard let text = until("]]>") else { return nil }
        element.text += text
      } else if take("<!--") {
        guard until("-->") != nil else { return nil }
      } else if take("<?") {
        guard until("?>") != nil else { return nil }
      } else if rest.first == UInt8(ascii: "<") {
        guard let child = self.element(depth: depth + 1) else { return nil }
        element.children.append(child)
      } else {
        guard let text = text() else { return nil }
        element.text += text
      }
    }
  }

  /// Skips attributes up to the end of a tag, and tells whether the element ends there.
  private mutating func endOfTag() -> Bool? {
    while true {
      _ = skipBlanks()
      if take("/>") { return true }
      if take(">") { return false }
      guard name() != nil, skipBlanks(), take("="), skipBlanks(), let quote = rest.popFirst(),
        quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"), let end = rest.firstIndex(of: quote)
      else { return nil }
      guard !rest[..<end].contains(UInt8(ascii: "<")) else { return nil }
      rest = rest[rest.index(after: end)...]
    }
  }

  /// Text up to the next tag, with references resolved; nil at the end of the document or for an unknown reference.
  private mutating func text() -> String? {
    let raw = rest.prefix { $0 != UInt8(ascii: "<") }
    guard raw.endIndex != rest.endIndex else { return nil }
    rest = rest[raw.endIndex...]
    var text = ""
    var remaining = Substring(raw)
    while let mark = remaining.firstIndex(of: "&") {
      text += remaining[..<mark]
      guard let end = remaining[mark...].firstIndex(of: ";"),
        let scalar = Self.reference(remaining[remaining.index(after: mark)..<end])
      else { return nil }
      text.unicodeScalars.append(scalar)
      remaining = remaining[remaining.index(after: end)...]
    }
    return text + remaining
  }

  private static func reference(_ name: Substring) -> Unicode.Scalar? {
    switch name {
    case "amp": "&"
    case "lt": "<"
    case "gt": ">"
    case "quot": "\""
    case "apos": "'"
    case _ where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
    case _ where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
    default: nil
    }
  }

  /// What may stand before and after the root element.
  private mutating func skipMisc() -> Bool {
    while true {
      _ = skipBlanks()
      if take("<?") {
        guard until("?>") != nil else { return false }
      } else if take("<!--") {
        guard until("-->") != nil else { return false }
      } else {
        return true
      }
    }
  }

  private mutating func name() -> String? {
    let name = rest.prefix { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: ":"), 0x80...:
        true
      default: false
      }
    }
    guard !name.isEmpty else { return nil }
    rest = rest[name.endIndex...]
    return String(name)
  }

  private static func local(_ name: String) -> String {
    name.firstIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
  }

  private mutating func until(_ end: String) -> String? {
    guard let range = rest.firstRange(of: end.utf8) else { return nil }
    defer { rest = rest[range.upperBound...] }
    return String(rest[..<range.lowerBound])
  }

  private mutating func skipBlanks() -> Bool {
    rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    return true
  }

  private mutating func take(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }
}
