/// An element of an XML document, such as S3's answers: its name without a prefix, its text, its child elements.
///
/// Expat parses it as UTF-8, whatever encoding it declares. A document type or a processing instruction is refused, so no entity expands.
/// It may have the characters of XML 1.1, because S3 writes them in keys; each is read as a question mark.
public struct XMLElement: Hashable, Sendable {
  /// The maximum length of a document in bytes, unless a longer one is expected.
  public static let limit = 64 * 1024
  /// The maximum depth of elements.
  public static let deepest = 32
  /// The maximum number of attributes of an element.
  static let mostAttributes = 100

  /// The name without a prefix.
  public var name: String
  /// The text directly in the element, joined together.
  public var text: String
  /// The elements directly in it, in their order.
  public var children: [XMLElement]

  /// The first child with this name.
  public subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

  /// Returns the root element of a document; nil if it is not well-formed, too long or too deep.
  ///
  /// While S3 works, it keeps the connection alive with spaces, even before the document.
  public static func parse(_ bytes: [UInt8], limit: Int = limit) -> XMLElement? {
    let document = bytes.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    guard document.count <= limit, let content = content(of: document) else { return nil }
    return XMLTree.read(content)
  }

  /// Escapes a text for the content of an element.
  public static func escaped(_ text: String) -> String {
    var out = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      default: out.unicodeScalars.append(character)
      }
    }
    return out
  }

  /// Returns the text after the byte order mark and the XML declaration, if there are any (XML 1.0, section 2.8); nil for a
  /// declaration without an end. Some servers omit the version, which Expat would refuse.
  private static func content(of document: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let rest = document.starts(with: byteOrderMark) ? document.dropFirst(byteOrderMark.count) : document
    let declaration = "<?xml".utf8
    guard rest.starts(with: declaration), let next = rest.dropFirst(declaration.count).first,
      [0x20, 0x09, 0x0D, 0x0A].contains(next)
    else { return rest }
    return rest.firstRange(of: "?>".utf8).map { rest[$0.upperBound...] }
  }
}
