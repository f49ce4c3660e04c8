import CExpat

/// Collects the elements of one document while Expat reports them.
@safe final class XMLTree {
  private let parser: XML_Parser
  private var open: [XMLElement] = []
  private var root: XMLElement?

  private init?() {
    // Expat passes names as NAMESPACE, separator, NAME. It refuses a namespace that contains the separator.
    guard let parser = unsafe XML_ParserCreateNS("UTF-8", XML_Char(Self.separator)) else { return nil }
    unsafe self.parser = unsafe parser
  }

  deinit { unsafe XML_ParserFree(parser) }

  private static let separator = UInt8(ascii: "\n")

  /// Returns the root of a well-formed document; nil otherwise. The XML declaration must have been removed.
  static func read(_ content: ArraySlice<UInt8>) -> XMLElement? {
    let content = UnlistedCharacter.replaced(in: content)
    guard let length = Int32(exactly: content.count), let tree = XMLTree() else { return nil }
    return withExtendedLifetime(tree) { tree.root(of: content, length) }
  }

  private func root(of content: ArraySlice<UInt8>, _ length: Int32) -> XMLElement? {
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    unsafe XML_SetElementHandler(
      parser,
      { tree, name, _ in
        guard let tree = unsafe tree, let name = unsafe name else { return }
        unsafe XMLTree.of(tree).begin(String(cString: name))
      }, { tree, _ in if let tree = unsafe tree { unsafe XMLTree.of(tree).end() } })
    unsafe XML_SetCharacterDataHandler(parser) { tree, text, count in
      guard let tree = unsafe tree, let text = unsafe text else { return }
      unsafe XMLTree.of(tree).add(
        String(decoding: UnsafeRawBufferPointer(start: text, count: Int(count)), as: UTF8.self))
    }
    unsafe XML_SetStartDoctypeDeclHandler(parser) { tree, _, _, _, _ in
      if let tree = unsafe tree { unsafe XMLTree.of(tree).stop() }
    }
    unsafe XML_SetProcessingInstructionHandler(parser) { tree, _, _ in
      if let tree = unsafe tree { unsafe XMLTree.of(tree).stop() }
    }
    let status = unsafe content.withUnsafeBytes { bytes in
      unsafe XML_Parse(parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), length, 1)
    }
    return status == XML_STATUS_OK && open.isEmpty ? root : nil
  }

  private static func of(_ tree: UnsafeMutableRawPointer) -> XMLTree {
    unsafe Unmanaged.fromOpaque(tree).takeUnretainedValue()
  }

  private func begin(_ name: String) {
    // Expat counts the name and the value of each attribute.
    let attributes = unsafe XML_GetSpecifiedAttributeCount(parser) / 2
    guard open.count < XMLElement.deepest, attributes <= XMLElement.mostAttributes else { return stop() }
    let local = name.utf8.lastIndex(of: Self.separator).map { String(name[name.utf8.index(after: $0)...]) }
    open.append(XMLElement(name: local ?? name, text: "", children: []))
  }

  private func end() {
    guard let element = open.popLast() else { return stop() }
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].children.append(element)
    }
  }

  private func add(_ text: String) {
    if !open.isEmpty { open[open.count - 1].text += text }
  }

  /// Stops parsing: the document then counts as not well-formed. Expat may still report an end or two.
  private func stop() {
    _ = unsafe XML_StopParser(parser, XML_Bool(XML_FALSE))
  }
}
