import CLinux
import FoundationEssentials
import Jobs
import Linux
import OpenSSL

/// Bytes that came in one request, known by their sums alone: what is handed from life to life has to be small.
package struct Piece: Codable, Hashable, Sendable {
  package var size: Int
  package var md5: String
  package var sha256: String
  private var sha256Base64: String
  private(set) var contentMD5: String
  private var crc32c: UInt32
  private var crc64nvme: UInt64

  package init(_ bytes: [UInt8]) {
    size = bytes.count
    let md5 = Array(MD5.hash(data: bytes))
    let sha256 = Array(SHA256.hash(data: bytes))
    self.md5 = Hex.text(md5)
    self.sha256 = Hex.text(sha256)
    contentMD5 = Data(md5).base64EncodedString()
    sha256Base64 = Data(sha256).base64EncodedString()
    var crc32c = CRC32C()
    crc32c.update(bytes)
    var crc64nvme = CRC64NVME()
    crc64nvme.update(bytes)
    self.crc32c = crc32c.value
    self.crc64nvme = crc64nvme.value
  }

  func checksum(_ algorithm: ChecksumName) -> String {
    switch algorithm {
    case .sha256: sha256Base64
    case .crc32c: Self.text(UInt64(crc32c), bytes: 4)
    case .crc64nvme: Self.text(crc64nvme, bytes: 8)
    }
  }

  /// The checksum over the bytes of several pieces; nil for one that the pieces' sums do not give.
  static func fullChecksum(_ algorithm: ChecksumName, of pieces: [Piece]) -> String? {
    guard let first = pieces.first else { return nil }
    switch algorithm {
    case .sha256: return pieces.count == 1 ? first.sha256Base64 : nil
    case .crc32c:
      return text(
        UInt64(pieces.reduce(0 as UInt32) { clinux_crc32c_combine($0, $1.crc32c, UInt64($1.size)) }), bytes: 4)
    case .crc64nvme:
      return text(pieces.reduce(0 as UInt64) { clinux_crc64nvme_combine($0, $1.crc64nvme, UInt64($1.size)) }, bytes: 8)
    }
  }

  private static func text(_ value: UInt64, bytes count: Int) -> String {
    Data((0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }).base64EncodedString()
  }
}

/// A checksum's algorithm, as the end of `x-amz-checksum-…` names it.
enum ChecksumName: String, Codable, CaseIterable {
  case sha256, crc32c, crc64nvme

  var header: String { "x-amz-checksum-" + rawValue }
  var element: String { "Checksum" + rawValue.uppercased() }
}
