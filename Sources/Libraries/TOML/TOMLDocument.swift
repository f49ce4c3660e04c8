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

    init(_ words: String, line: Int? = nil, column: Int? = nil) {
      self.words = words
      self.line = line
      self.column = column
    }
  }

  /// The table of the whole document.
  public let root: [String: TOMLNode]

  /// Parses the bytes of a text, which must be UTF-8.
  public init(_ source: [UInt8]) throws(Fault) {
    if let line = Self.lineOfDeepKey(source) { throw Fault("a key with too many dots: put text in quotes", line: line) }
    do throws(Fault) {
      root = try Self.parse(source[...])
    } catch {
      guard error.line == nil else { throw error }
      // toml++ asserts some of what it expects. The line is the last one of the shortest beginning that fails so.
      let ends = source.indices.filter { source[$0] == UInt8(ascii: "\n") }
      var (line, last) = (0, ends.count)
      while line < last {
        let middle = (line + last) / 2
        if Self.hasFaultWithoutLine(source[...ends[middle]]) { last = middle } else { line = middle + 1 }
      }
      throw Fault(error.words, line: line + 1)
    }
  }

  /// Returns the line of the first key with more than 64 parts; nil if there is none. toml++ makes a table within a table of each part, and
  /// would run out of stack.
  private static func lineOfDeepKey(_ source: [UInt8]) -> Int? {
    let lines = source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let line = lines.firstIndex { line in
      line.first { !" \t".utf8.contains($0) } != UInt8(ascii: "#")
        && line.split(whereSeparator: { ",=[]{}".utf8.contains($0) }).contains { part in
          part.count > 64 && part.count { $0 == UInt8(ascii: ".") } >= 64
        }
    }
    return line.map { $0 + 1 }
  }

  private static func hasFaultWithoutLine(_ source: ArraySlice<UInt8>) -> Bool {
    do throws(Fault) {
      _ = try parse(source)
      return false
    } catch {
      return error.line == nil
    }
  }

  private static func parse(_ source: ArraySlice<UInt8>) throws(Fault) -> [String: TOMLNode] {
    let document = unsafe source.withUnsafeBytes { bytes in
      unsafe ctoml_parse(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    guard let document = unsafe document else { throw Fault("there is no memory to read it") }
    defer { unsafe ctoml_free(document) }
    let read = unsafe document.pointee
    if let words = unsafe read.fault {
      let fault = unsafe Fault(
        String(cString: words), line: read.line == 0 ? nil : Int(read.line),
        column: read.line == 0 ? nil : Int(read.column))
      throw fault
    }
    var nodes = unsafe UnsafeBufferPointer(start: read.nodes, count: read.count)[...]
    guard let first = unsafe nodes.popFirst() else { throw Fault("the parser gave nothing") }
    return unsafe table(first.count, &nodes)
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
