import Foundation
import FoundationXML

/// One element of an XML document, such as S3 answers with: its name without a prefix, its text, its child elements.
///
/// Read by Foundation's XMLParser (libxml2). A document type is refused before parsing, so that there are no external entities
/// and no entities that grow. A processing instruction is refused too: Foundation's parser for Linux crashes on one without
/// data (`<?p?>`), even if its delegate does not ask for it. To find both, a document is read as UTF-8 whatever encoding it
/// declares, since for example UTF-7 writes them with other characters.
package struct XMLElement: Hashable, Sendable {
  /// The maximum length in bytes of a document that is read, unless a longer one is expected.
  package static let limit = 64 * 1024
  /// The maximum nesting that is read.
  package static let deepest = 32
  /// The maximum number of attributes of an element: the time for them grows with the square of their number.
  static let mostAttributes = 100

  package var name: String
  /// The text directly in the element, joined together.
  package var text: String
  package var children: [XMLElement]

  /// The first child with this name.
  package subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

  /// Returns the root element of a document; nil if it is not well-formed, too long or too deep.
  ///
  /// S3 keeps a connection alive with spaces while it works, even before the document.
  package static func parse(_ bytes: [UInt8], limit: Int = limit) -> XMLElement? {
    let document = bytes.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    guard document.count <= limit, String(validating: document, as: UTF8.self) != nil,
      let content = content(of: document), !content.contains(0), content.firstRange(of: "<?".utf8) == nil,
      content.firstRange(of: "<!DOCTYPE".utf8) == nil, !hasManyAttributes(content)
    else { return nil }
    let parser = XMLParser(data: Data(content))
    parser.shouldProcessNamespaces = true
    parser.shouldResolveExternalEntities = false
    let tree = XMLTree()
    parser.delegate = tree
    guard parser.parse(), parser.parserError == nil, tree.open.isEmpty else { return nil }
    return tree.root
  }

  /// A text in the form that an element may hold.
  package static func escaped(_ text: String) -> String {
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

  /// True if an element may have more attributes than are read: each has a `=`, and none a `<` in its value.
  private static func hasManyAttributes(_ content: ArraySlice<UInt8>) -> Bool {
    var count = 0
    for byte in content {
      if byte == UInt8(ascii: "<") { count = 0 }
      if byte == UInt8(ascii: "=") { count += 1 }
      if count > mostAttributes { return true }
    }
    return false
  }

  /// Returns the text after the byte order mark and the XML declaration, if they are there (XML 1.0, section 2.8). It
  /// is nil for a declaration without an end.
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

/// Builds the elements while the parser reports them. Lives only while one document is parsed.
private final class XMLTree: NSObject, XMLParserDelegate {
  var open: [XMLElement] = []
  var root: XMLElement?

  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?,
    attributes attributeDict: [String: String]
  ) {
    guard open.count < XMLElement.deepest else { return parser.abortParsing() }
    open.append(XMLElement(name: elementName, text: "", children: []))
  }

  func parser(
    _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?
  ) {
    guard let element = open.popLast() else { return parser.abortParsing() }
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].children.append(element)
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    guard !open.isEmpty else { return }
    open[open.count - 1].text += string
  }

  func parser(_ parser: XMLParser, foundCDATA CDATABlock: Data) {
    guard !open.isEmpty else { return }
    open[open.count - 1].text += String(decoding: CDATABlock, as: UTF8.self)
  }
}
