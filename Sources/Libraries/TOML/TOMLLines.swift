/// The lines of a text, for changing one of them. Each includes its line end.
struct TOMLLines {
  private let lines: [[UInt8]]
  private static let lineFeed = UInt8(ascii: "\n")

  init(_ source: [UInt8]) {
    var lines: [[UInt8]] = []
    var rest = source[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: Self.lineFeed).map { $0 + 1 } ?? rest.endIndex
      lines.append(Array(rest[..<end]))
      rest = rest[end...]
    }
    self.lines = lines
  }

  /// The possible texts with the value after one occurrence of the key on this line replaced. The line is counted from 1.
  func replacing(_ key: String, with value: String, onLine number: Int) -> [[UInt8]] {
    guard lines.indices.contains(number - 1) else { return [] }
    let line = lines[number - 1]
    return line.indices.compactMap { start in
      guard line[start...].starts(with: key.utf8) else { return nil }
      var rest = line[(start + key.utf8.count)...].drop(while: Self.isBlank)
      guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
      rest = rest.drop(while: Self.isBlank)
      let end = Self.endOfValue(rest)
      return text(number, Array(line[..<rest.startIndex]) + value.utf8 + line[end...])
    }
  }

  /// The text with another line, which is indented like the one before it; nil if there is no such line.
  func inserting(_ added: String, behindLine number: Int) -> [UInt8]? {
    guard lines.indices.contains(number - 1) else { return nil }
    var line = lines[number - 1]
    let isOfWindows = line.suffix(2).elementsEqual("\r\n".utf8) || (line.last != Self.lineFeed && lines[0].contains(13))
    let end = Array((isOfWindows ? "\r\n" : "\n").utf8)
    if line.last != Self.lineFeed { line += end }
    return text(number, line + line.prefix(while: Self.isBlank) + added.utf8 + end)
  }

  private func text(_ number: Int, _ line: [UInt8]) -> [UInt8] {
    Array(lines[..<(number - 1)].joined()) + line + lines[number...].joined()
  }

  /// The end of a value on one line.
  private static func endOfValue(_ rest: ArraySlice<UInt8>) -> Int {
    guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      return rest.firstIndex { ",]}# \t\r\n".utf8.contains($0) } ?? rest.endIndex
    }
    var index = rest.startIndex + 1
    while index < rest.endIndex, rest[index] != quote {
      index += rest[index] == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") ? 2 : 1
    }
    return min(index + 1, rest.endIndex)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
