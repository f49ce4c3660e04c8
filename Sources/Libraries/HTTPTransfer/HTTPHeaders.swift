import Glibc

/// The header fields of an answer, in the order of arrival.
///
/// They are stored unparsed in one buffer, because for most answers only two or three of them are read.
public struct HTTPHeaders: Hashable, Sendable {
  private static let colon = UInt8(ascii: ":")
  private static let lineFeed = UInt8(ascii: "\n")

  /// Each field as its name, a colon, its value and a line feed.
  private var lines: [UInt8] = []

  /// The fields in this order. A name must not contain a colon, and neither a name nor a value a line feed.
  public init(_ all: [HTTPHeader] = []) {
    for header in all {
      lines += header.name.utf8
      lines.append(Self.colon)
      lines += header.value.utf8
      lines.append(Self.lineFeed)
    }
  }

  /// All fields; a name may occur more than once.
  public var all: [HTTPHeader] {
    var fields: [HTTPHeader] = []
    forEach { name, value in
      fields.append(HTTPHeader(text(name), text(value)))
      return true
    }
    return fields
  }

  /// The value of the first field with this name, without regard to case.
  public subscript(first name: String) -> String? { bytes(first: name).map { String(decoding: $0, as: UTF8.self) } }

  /// The same value as bytes.
  public func bytes(first name: String) -> ArraySlice<UInt8>? {
    var found: Range<Int>?
    forEach { field, value in
      guard isNamed(field, name) else { return true }
      found = value
      return false
    }
    return found.map { lines[$0] }
  }

  /// The number of fields with this name, without regard to case.
  public func count(of name: String) -> Int {
    var count = 0
    forEach { field, _ in
      if isNamed(field, name) { count += 1 }
      return true
    }
    return count
  }

  /// Adds a line of an answer with its line end. A folded line continues the field before it; a line without a colon is ignored.
  mutating func add(_ line: some RandomAccessCollection<UInt8>) {
    if line.first == 0x20 || line.first == 0x09 {
      guard !lines.isEmpty else { return }
      lines[lines.count - 1] = 0x20
      lines.append(contentsOf: Self.trimmed(line[...]))
    } else if let colon = line.firstIndex(of: Self.colon) {
      if lines.isEmpty { lines.reserveCapacity(512) }
      lines.append(contentsOf: Self.trimmed(line[..<colon]))
      lines.append(Self.colon)
      lines.append(contentsOf: Self.trimmed(line[line.index(after: colon)...]))
    } else {
      return
    }
    lines.append(Self.lineFeed)
  }

  private static func trimmed<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == lineFeed }
    let rest = bytes.drop(while: isSpace)
    return rest[..<(rest.lastIndex { !isSpace($0) }.map { rest.index(after: $0) } ?? rest.startIndex)]
  }

  /// Calls a closure with the ranges of each name and value, until it returns false.
  private func forEach(_ body: (_ name: Range<Int>, _ value: Range<Int>) -> Bool) {
    unsafe lines.withUnsafeBytes { bytes in
      var start = 0
      while let end = unsafe Self.first(Self.lineFeed, in: bytes, start..<bytes.count) {
        if let colon = unsafe Self.first(Self.colon, in: bytes, start..<end), !body(start..<colon, (colon + 1)..<end) {
          return
        }
        start = end + 1
      }
    }
  }

  /// The position of the first such byte. memchr(3) looks at many bytes at a time, since most lines are passed over.
  private static func first(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
    guard !range.isEmpty, let base = bytes.baseAddress,
      let found = unsafe memchr(base + range.lowerBound, Int32(byte), range.count)
    else { return nil }
    return unsafe UnsafeRawPointer(found) - base
  }

  private func isNamed(_ field: Range<Int>, _ name: String) -> Bool {
    lines.span.extracting(field).isNamed(name.utf8.span)
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: lines[range], as: UTF8.self) }
}
