import CLinux

/// CRC-32C (Castagnoli; RFC 3720, appendix B.4) of bytes that arrive piece by piece.
public struct CRC32C: Hashable, Sendable {
  /// The CRC of the bytes so far.
  public private(set) var value: UInt32 = 0

  /// The CRC of no bytes.
  public init() {}

  /// Continues with these bytes.
  public mutating func update(_ bytes: [UInt8]) {
    value = unsafe bytes.withUnsafeBytes { unsafe clinux_crc32c(value, $0.baseAddress, $0.count) }
  }

  /// Continues with `count` bytes whose own CRC is known.
  public mutating func append(_ next: CRC32C, count: Int64) {
    value = clinux_crc32c_combine(value, next.value, UInt64(count))
  }

  /// The value's bytes, highest first.
  public var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

  /// The same as ``update(_:)``, without the processor's CRC instruction.
  mutating func updateByTable(_ bytes: [UInt8]) {
    value = unsafe bytes.withUnsafeBytes { unsafe clinux_crc32c_plain(value, $0.baseAddress, $0.count) }
  }
}
