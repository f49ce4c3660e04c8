import Jobs

extension JobID {
  /// The sixteen bytes in network order, as `job.id` keeps them.
  var ledgerBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    let column = ledgerColumn
    for index in column.indices { bytes.append(column[index]) }
    return bytes
  }

  /// The same for a column that is written.
  var ledgerColumn: InlineArray<16, UInt8> {
    InlineArray { index in
      let word = index < 8 ? high : low
      return UInt8(truncatingIfNeeded: word >> UInt64(56 - index % 8 * 8))
    }
  }

  init?(ledgerBytes bytes: [UInt8]) { self.init(ledgerBytes: bytes.span) }

  init?(ledgerBytes bytes: Span<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var words: (high: UInt64, low: UInt64) = (0, 0)
    for index in 0..<8 {
      words.high = words.high << 8 | UInt64(bytes[index])
      words.low = words.low << 8 | UInt64(bytes[index + 8])
    }
    self.init(high: words.high, low: words.low)
  }
}
