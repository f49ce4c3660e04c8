import Jobs

extension JobID {
  /// The sixteen bytes in network order, as `job.id` keeps them.
  var ledgerBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    for word in [high, low] {
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    return bytes
  }

  init?(ledgerBytes bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    func word(_ slice: ArraySlice<UInt8>) -> UInt64 { slice.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: word(bytes.prefix(8)), low: word(bytes.suffix(8)))
  }
}
