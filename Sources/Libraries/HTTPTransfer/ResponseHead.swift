/// Collects the status line and header fields as they arrive.
///
/// Interim answers (1xx) are dropped, and trailers are ignored. Both count toward the limit, so that neither can go on for ever.
package struct ResponseHead {
  /// The maximum number of bytes of header lines in one transfer.
  package static let limit = 64 << 10

  /// An empty head.
  package init() {}

  /// The header fields so far. Folded lines are joined by a space (RFC 9112, 5.2).
  package private(set) var headers = HTTPHeaders()
  private var total = 0
  /// The status of the last status line; 0 before the first.
  package private(set) var status = 0
  /// True if all header fields of the final answer have arrived.
  package private(set) var isComplete = false

  /// Adds a line with its line end. Returns false if the limit is exceeded.
  package mutating func add(_ line: some RandomAccessCollection<UInt8>) -> Bool {
    total += line.count
    guard total <= Self.limit else { return false }
    guard !isComplete else { return true }
    if line.starts(with: "HTTP/".utf8) {
      headers = HTTPHeaders()
      status = Self.status(of: line)
    } else if line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
      // 101 is final too, because no request here asks for another protocol.
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
