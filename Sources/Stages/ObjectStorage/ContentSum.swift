import Jobs
import Linux
import OpenSSL

/// A checksum of all bytes of a file. It identifies the content, independently of the file's inode and times.
enum ContentSum: Hashable, Sendable {
  /// SHA-256 in hex.
  case sha256(String)
  /// CRC-32C in base64.
  case crc32c(String)
  /// CRC-64/NVME in base64.
  case crc64nvme(String)

  private static let chunk = 256 << 10

  init(_ crc: CRC32C) { self = .crc32c(Base64.text(crc.bytes)) }

  init(_ crc: CRC64NVME) { self = .crc64nvme(Base64.text(crc.bytes)) }

  /// The CRC-64/NVME in base64, as a receipt contains it; nil for the other sums.
  var crc64nvme: String? {
    guard case .crc64nvme(let value) = self else { return nil }
    return value
  }

  /// True if the content of a file has this sum.
  ///
  /// It reads the whole file on the calling thread. Throws ``FileError``.
  func `is`(of file: OpenFile) throws(FileError) -> Bool {
    switch self {
    case .sha256(let expected):
      var hash = SHA256()
      try Self.read(file) { hash.update(data: $0) }
      return Hex.text(hash.finalize()) == expected
    case .crc32c:
      var crc = CRC32C()
      try Self.read(file) { crc.update($0) }
      return ContentSum(crc) == self
    case .crc64nvme:
      var crc = CRC64NVME()
      try Self.read(file) { crc.update($0) }
      return ContentSum(crc) == self
    }
  }

  private static func read(_ file: OpenFile, _ update: ([UInt8]) -> Void) throws(FileError) {
    var offset: Int64 = 0
    while true {
      let bytes = try file.read(at: offset, count: chunk)
      guard !bytes.isEmpty else { return }
      update(bytes)
      offset += Int64(bytes.count)
    }
  }
}
