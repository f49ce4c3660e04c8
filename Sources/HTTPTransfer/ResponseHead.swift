/// Collects status line and header fields as they come, and reads them when they are complete.
///
/// Interim answers (1xx) are dropped, trailers ignored; both count toward the limit, so that neither can go on for ever.
package struct ResponseHead {
  /// The most bytes of header lines that are taken in one transfer.
  package static let limit = 64 << 10

  /// Nothing of an answer yet.
  package init() {}

  private var block: [UInt8] = []
  private var lines = 0
  private var total = 0
  /// The status of the last status line, 0 before it.
  package private(set) var status = 0
  /// True if all header fields of the final answer are there.
  package private(set) var isComplete = false

  /// Takes a line with its line end. False if that is too much.
  package mutating func add(_ line: some Collection<UInt8>) -> Bool {
    total += line.count
    guard total <= Self.limit else { return false }
    guard !isComplete else { return true }
    if line.starts(with: "HTTP/".utf8) {
      block.removeAll(keepingCapacity: true)
      lines = 0
      status = Self.status(of: line)
    } else if line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
      // 101 is final too: nothing that is sent here asks for another protocol.
      isComplete = status >= 200 || status == 101
    } else {
      if block.isEmpty { block.reserveCapacity(512) }
      block.append(contentsOf: line)
      lines += 1
    }
    return true
  }

  /// The header fields so far. Folded lines are joined by a space (RFC 9112, 5.2).
  package var headers: HTTPHeaders {
    var fields: [HTTPHeader] = []
    fields.reserveCapacity(lines)
    var rest = block[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
      let line = rest[..<end]
      rest = rest[end...].dropFirst()
      if line.first == 0x20 || line.first == 0x09 {
        if let last = fields.indices.last { fields[last].value += " " + Self.trimmed(line) }
      } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
        fields.append(HTTPHeader(Self.trimmed(line[..<colon]), Self.trimmed(line[(colon + 1)...])))
      }
    }
    return HTTPHeaders(fields)
  }

  private static func status(of line: some Collection<UInt8>) -> Int {
    let digits = line.drop { $0 != 0x20 }.drop { $0 == 0x20 }.prefix(3)
    return digits.reduce(0) { value, digit in
      digit >= 0x30 && digit <= 0x39 ? value * 10 + Int(digit - 0x30) : value
    }
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    let start = bytes.firstIndex { !isSpace($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }
}
