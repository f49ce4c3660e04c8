/// Collects status line and header fields as they come.
///
/// Interim answers (1xx) are dropped, trailers ignored; both count toward the limit, so that neither can go on for ever.
package struct ResponseHead {
  /// The most bytes of header lines that are taken in one transfer.
  package static let limit = 64 << 10

  /// Nothing of an answer yet.
  package init() {}

  /// The header fields so far. Folded lines are joined by a space (RFC 9112, 5.2).
  package private(set) var headers = HTTPHeaders()
  private var total = 0
  /// The status of the last status line, 0 before it.
  package private(set) var status = 0
  /// True if all header fields of the final answer are there.
  package private(set) var isComplete = false

  /// Takes a line with its line end. False if that is too much.
  package mutating func add(_ line: some RandomAccessCollection<UInt8>) -> Bool {
    total += line.count
    guard total <= Self.limit else { return false }
    guard !isComplete else { return true }
    if line.starts(with: "HTTP/".utf8) {
      headers = HTTPHeaders()
      status = Self.status(of: line)
    } else if line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
      // 101 is final too: nothing that is sent here asks for another protocol.
      isComplete = status >= 200 || status == 101
    } else {
      headers.add(line)
    }
    return true
  }

  private static func status(of line: some Collection<UInt8>) -> Int {
    let digits = line.drop { $0 != 0x20 }.drop { $0 == 0x20 }.prefix(3)
    return digits.reduce(0) { value, digit in
      digit >= 0x30 && digit <= 0x39 ? value * 10 + Int(digit - 0x30) : value
    }
  }
}
