public import Jobs
public import Linux
import Settings

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

  private var algorithm: ChecksumAlgorithm {
    switch self {
    case .sha256: .sha256
    case .crc32c: .crc32c
    case .crc64nvme: .crc64nvme
    }
  }

  /// True if the content of a file has this sum.
  ///
  /// It reads the whole file on the calling thread. Throws ``FileError``.
  func `is`(of file: OpenFile) throws(FileError) -> Bool {
    var sums = RunningSums(algorithm)
    while true {
      let bytes = try file.read(at: sums.count, count: Self.chunk)
      guard !bytes.isEmpty else { return sums.finish().content == self }
      sums.update(bytes)
    }
  }
}

extension UploadReceipt {
  /// True if a file has the bytes that were uploaded, according to a checksum of all of them; nil if the receipt has no such
  /// checksum.
  ///
  /// It reads the whole file on the calling thread.
  public func isOf(_ file: OpenFile) throws(FileError) -> Bool? { try content?.is(of: file) }

  private var content: ContentSum? {
    if let sha256 { return .sha256(sha256) }
    if let crc64nvme { return .crc64nvme(crc64nvme) }
    guard let checksum, checksum.type == .full else { return nil }
    switch ChecksumAlgorithm(rawValue: checksum.algorithm) {
    case .crc32c: return .crc32c(checksum.value)
    case .crc64nvme: return .crc64nvme(checksum.value)
    case .sha256, .some(.none), nil: return nil
    }
  }
}

extension OpenFile {
  /// True if the file's bytes have this SHA-256 in hex. It reads the whole file on the calling thread.
  public func has(sha256: String) throws(FileError) -> Bool { try ContentSum.sha256(sha256).is(of: self) }
}
