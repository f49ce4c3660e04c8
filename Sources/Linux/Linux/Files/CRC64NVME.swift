import CLinux

/// CRC-64/NVME (NVM Express NVM Command Set Specification, "64b CRC") of bytes that arrive piece by piece.
public struct CRC64NVME: Hashable, Sendable {
  /// The CRC of the bytes so far.
  public private(set) var value: UInt64 = 0

  /// The CRC of no bytes.
  public init() {}

  /// Continues with these bytes.
  public mutating func update(_ bytes: [UInt8]) {
    value = unsafe bytes.withUnsafeBytes { unsafe clinux_crc64nvme(value, $0.baseAddress, $0.count) }
  }

  /// Continues with `count` bytes whose own CRC is known.
  public mutating func append(_ next: CRC64NVME, count: Int64) {
    value = clinux_crc64nvme_combine(value, next.value, UInt64(count))
  }

  /// The value's bytes, highest first.
  public var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }

  /// The same as ``update(_:)``, without carry-less multiplication.
  mutating func updateByTable(_ bytes: [UInt8]) {
    value = unsafe bytes.withUnsafeBytes { unsafe clinux_crc64nvme_plain(value, $0.baseAddress, $0.count) }
  }
}
