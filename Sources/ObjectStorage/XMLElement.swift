import Foundation
import FoundationXML

/// One element of an XML document such as S3 answers with: its name without a prefix, its text, its child elements.
///
/// Read by Foundation's XMLParser (libxml2). A document type is refused before it comes to that, so that there are
/// neither external entities nor ones that grow; so are processing instructions, because XMLParser reads through a null
/// pointer where one has no data (`<?p?>`), and an answer must not end the daemon.
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
    guard document.count <= limit, String(validating: document, as: UTF8.self) != nil,
      document.firstRange(of: Array("<!DOCTYPE".utf8)) == nil,
      afterDeclaration(document).firstRange(of: Array("<?".utf8)) == nil
    else { return nil }
    let parser = XMLParser(data: Data(document))
    parser.shouldProcessNamespaces = true
    parser.shouldResolveExternalEntities = false
    let tree = XMLTree()
    parser.delegate = tree
    guard parser.parse(), parser.parserError == nil, tree.open.isEmpty else { return nil }
    return tree.root
  }

  /// What follows `<?xml …`, where the document begins with it (XML 1.0, section 2.8).
  private static func afterDeclaration(_ document: [UInt8]) -> ArraySlice<UInt8> {
    var rest = document[...]
    for start in ["\u{FEFF}", "<?xml "] where rest.starts(with: start.utf8) { rest = rest.dropFirst(start.utf8.count) }
    return rest
  }
}

/// Builds the elements as the parser comes by. Lives only while one document is parsed.
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
