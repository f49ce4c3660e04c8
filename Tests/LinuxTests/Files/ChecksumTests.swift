import Testing

@testable import Linux

/// The two CRCs against published values, and each way of reckoning against the other.
struct ChecksumTests {
  /// "Check" is that of the catalogue of parametrised CRC algorithms; the others are of RFC 3720, B.4.
  @Test(
    arguments: [
      ([], 0), (Array("123456789".utf8), 0xE306_9283), (Array(repeating: 0, count: 32), 0x8A91_36AA),
      (Array(repeating: 0xFF, count: 32), 0x62A8_AB43), (Array(0..<32), 0x46DD_794E),
      (Array((0..<32).reversed()), 0x113F_DB5C),
    ] as [([UInt8], UInt32)])
  func crc32cMatchesPublishedValues(bytes: [UInt8], value: UInt32) {
    var crc = CRC32C()
    crc.update(bytes)
    #expect(crc.value == value)
    #expect(crc.bytes.reduce(0) { $0 << 8 | UInt32($1) } == value)
  }

  /// "Check" again; the others are of the NVM Express NVM Command Set Specification 1.0d, section 5.2.1.3.4.
  @Test(
    arguments: [
      ([], 0), (Array("123456789".utf8), 0xAE8B_1486_0A79_9888),
      (Array(repeating: 0, count: 4096), 0x6482_D367_EB22_B64E),
      (Array(repeating: 0xFF, count: 4096), 0xC0DD_BA73_02EC_A3AC),
    ] as [([UInt8], UInt64)])
  func crc64MatchesPublishedValues(bytes: [UInt8], value: UInt64) {
    var crc = CRC64NVME()
    crc.update(bytes)
    #expect(crc.value == value)
    #expect(crc.bytes.reduce(0) { $0 << 8 | UInt64($1) } == value)
  }

  private static let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }

  @Test(
    arguments: Array(0..<40) + [63, 64, 65, 79, 80, 127, 128, 129, 143, 191, 192, 255, 256, 511, 512, 640, 999, 1000]
      + [1023, 1024, 1025, 1279, 1280, 1295, 2047, 2048, 4095, 4999, 5000])
  func hardwareMatchesTables(count: Int) {
    let bytes = Array(Self.bytes.prefix(count))
    var (crc32, table32, crc64, table64) = (CRC32C(), CRC32C(), CRC64NVME(), CRC64NVME())
    crc32.update(bytes)
    table32.updateByTable(bytes)
    crc64.update(bytes)
    table64.updateByTable(bytes)
    #expect(crc32 == table32)
    #expect(crc64 == table64)
  }

  @Test(arguments: [0, 1, 8, 100, 500, 872, 999, 1000, 2500, 4999, 5000])
  func joinedPiecesMatchWhole(cut: Int) {
    let (first, second) = (Array(Self.bytes[..<cut]), Array(Self.bytes[cut...]))
    var (whole32, whole64) = (CRC32C(), CRC64NVME())
    whole32.update(Self.bytes)
    whole64.update(Self.bytes)
    var (going32, going64, next32, next64) = (CRC32C(), CRC64NVME(), CRC32C(), CRC64NVME())
    going32.update(first)
    going64.update(first)
    next32.update(second)
    next64.update(second)
    var (joined32, joined64) = (going32, going64)
    joined32.append(next32, count: Int64(second.count))
    joined64.append(next64, count: Int64(second.count))
    going32.update(second)
    going64.update(second)
    #expect([going32, joined32] == [whole32, whole32])
    #expect([going64, joined64] == [whole64, whole64])
  }
}
