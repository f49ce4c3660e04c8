import Jobs
import LinuxFiles
import TOMLKit

/// One parsed configuration file.
struct Document {
  /// The largest number of bytes that a configuration file may have.
  static let limit = 1024 * 1024

  let file: String
  let root: [String: Node]

  /// Reads and parses a file.
  static func read(_ file: String) throws(ConfigurationProblem) -> Document {
    let source: [UInt8]
    do throws(FileError) {
      source = try readSmallFile(path: file, limit: limit)
    } catch {
      throw FileProblem.of(error, file: file)
    }
    return try Document(file: file, source: source)
  }

  /// Parses the bytes of a file.
  init(file: String, source: [UInt8]) throws(ConfigurationProblem) {
    self.file = file
    guard let text = String(validating: source, as: UTF8.self) else {
      throw ConfigurationProblem(
        file: file, line: Document.firstBadLine(source), words: "is not UTF-8 text",
        remedy: "TOML files are UTF-8: save it in that encoding")
    }
    // The parser is given a C string and would stop here without an error.
    if let zero = source.firstIndex(of: 0) {
      throw ConfigurationProblem(
        file: file, line: source[..<zero].count(where: { $0 == UInt8(ascii: "\n") }) + 1,
        words: "has a NUL byte in it", remedy: "TOML files are plain text")
    }
    if let fault = TOMLFault(source) { throw fault.problem(file) }
    do {
      let table = try TOMLTable(string: text)
      root = Document.nodes(table, [], LineIndex(source))
    } catch let error as TOMLParseError {
      throw ConfigurationProblem(
        file: file, line: error.source.begin.line,
        words: "not valid TOML, at column \(error.source.begin.column): \(DisplayText.escape(error.description))")
    } catch {
      throw ConfigurationProblem(file: file, words: "cannot be parsed: \(error)")
    }
  }

  private static func nodes(_ table: TOMLTable, _ path: [LineIndex.Step], _ lines: LineIndex) -> [String: Node] {
    var nodes: [String: Node] = [:]
    for key in table.keys {
      guard let value = table[key] else { continue }
      nodes[key] = node(value, path + [.key(key)], lines)
    }
    return nodes
  }

  private static func node(_ value: any TOMLValueConvertible, _ path: [LineIndex.Step], _ lines: LineIndex) -> Node {
    let converted: Node.Value
    if let table = value.table {
      converted = .table(nodes(table, path, lines))
    } else if let array = value.array {
      converted = .array((0..<array.count).map { node(array[$0], path + [.index($0)], lines) })
    } else if let text = value.string {
      converted = .string(text)
    } else if let flag = value.bool {
      converted = .boolean(flag)
    } else if let number = value.int {
      converted = .integer(number)
    } else if let number = value.double {
      converted = .float(number)
    } else {
      converted = .date(value.debugDescription)
    }
    return Node(value: converted, line: lines[path])
  }

  private static func firstBadLine(_ source: [UInt8]) -> Int {
    let lines = source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return (lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0) + 1
  }
}
