/// The fixed id of one kind of entry (`MESSAGE_ID=`), under which a message catalog explains it. See sd-id128(3).
public struct JournalMessageID: Hashable, Sendable, CustomStringConvertible {
  /// The 128 bits, first digit highest.
  var value: UInt128

  /// An id, written as `0x` and the 32 digits that `systemd-id128 new` prints.
  public init(_ value: UInt128) { self.value = value }

  /// The 32 hex digits in lower case, as in `MESSAGE_ID=` and catalogs.
  public var description: String {
    var digits: [UInt8] = []
    digits.reserveCapacity(32)
    append(to: &digits)
    return String(decoding: digits, as: UTF8.self)
  }

  func append(to bytes: inout [UInt8]) {
    for half in [UInt64(truncatingIfNeeded: value >> 64), UInt64(truncatingIfNeeded: value)] {
      for shift in stride(from: UInt64(60), through: 0, by: -4) {
        let nibble = UInt8(truncatingIfNeeded: half >> shift) & 0xF
        bytes.append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
      }
    }
  }
}
