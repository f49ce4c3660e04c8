import CTOML

/// A TOML 1.0 document, parsed by toml++.
public struct TOMLDocument: Sendable {
  /// The reason why a text is not TOML.
  public struct Fault: Error {
    /// The error text. It may quote the document.
    public let words: String
    /// The line, counted from 1; nil if the parser does not report it.
    public let line: Int?
    /// The column, counted from 1; nil if the parser does not report it.
    public let column: Int?
    /// The remedy; nil if it is obvious.
    public let remedy: String?

    init(_ words: String, line: Int? = nil, column: Int? = nil, remedy: String? = nil) {
      self.words = words
      self.line = line
      self.column = column
      self.remedy = remedy
    }
  }

  /// The table of the whole document.
  public let root: [String: TOMLNode]

  /// Parses the bytes of a text, which must be UTF-8.
  ///
  /// - Throws: ``Fault``.
  public init(_ source: [UInt8]) throws(Fault) {
    if let fault = TOMLFault(source) { throw fault.fault }
    let document = unsafe source.withUnsafeBytes { bytes in
      unsafe ctoml_parse(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    guard let document = unsafe document else {
      throw Fault("there is no memory to read it")
    }
    defer { unsafe ctoml_free(document) }
    let read = unsafe document.pointee
    if let words = unsafe read.fault {
      let fault = unsafe Fault(
        String(cString: words), line: read.line == 0 ? nil : Int(read.line),
        column: read.line == 0 ? nil : Int(read.column))
      throw fault
    }
    var nodes = unsafe UnsafeBufferPointer(start: read.nodes, count: read.count)[...]
    guard let first = unsafe nodes.popFirst() else {
      throw Fault("the parser gave nothing")
    }
    root = unsafe Self.table(first.count, &nodes)
  }

  /// Reads the nodes of a table's entries, with their contents.
  private static func table(
    _ count: Int, _ nodes: inout Slice<UnsafeBufferPointer<ctoml_node>>
  ) -> [String: TOMLNode] {
    var table: [String: TOMLNode] = [:]
    for _ in 0..<count {
      guard let node = unsafe nodes.popFirst() else { break }
      let key = unsafe text(node.key, node.key_length)
      table[key] = unsafe value(node, &nodes)
    }
    return table
  }

  /// Converts a node to a value, and reads the nodes of its contents.
  private static func value(_ node: ctoml_node, _ nodes: inout Slice<UnsafeBufferPointer<ctoml_node>>) -> TOMLNode {
    let value: TOMLNode.Value
    switch unsafe node.kind {
    case .table: value = unsafe .table(table(node.count, &nodes))
    case .array:
      var elements: [TOMLNode] = []
      for _ in unsafe 0..<node.count {
        guard let element = unsafe nodes.popFirst() else { break }
        elements.append(unsafe self.value(element, &nodes))
      }
      value = .array(elements)
    case .string: value = unsafe .string(text(node.text, node.text_length))
    case .integer: value = unsafe .integer(Int(node.integer))
    case .float: value = unsafe .float(node.number)
    case .boolean: value = unsafe .boolean(node.integer != 0)
    case .date: value = unsafe .date(text(node.text, node.text_length))
    }
    return unsafe TOMLNode(value: value, line: node.line == 0 ? nil : Int(node.line))
  }

  private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
