public import Jobs
public import Linux
import Settings

/// A checksum of all bytes of a file. It identifies the content, independently of the file's inode and times.
struct ContentSum: Hashable, Sendable {
  let algorithm: ChecksumAlgorithm
  /// SHA-256 in hex, a CRC in base64.
  let value: String

  private static let chunk = 256 << 10

  init(_ algorithm: ChecksumAlgorithm, _ value: String) { (self.algorithm, self.value) = (algorithm, value) }

  init(_ crc: CRC32C) { self.init(.crc32c, Base64.text(crc.bytes)) }

  init(_ crc: CRC64NVME) { self.init(.crc64nvme, Base64.text(crc.bytes)) }

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
    if let sha256 { return ContentSum(.sha256, sha256) }
    if let crc64nvme { return ContentSum(.crc64nvme, crc64nvme) }
    guard let checksum, checksum.type == .full, let algorithm = ChecksumAlgorithm(rawValue: checksum.algorithm),
      algorithm.isCRC
    else { return nil }
    return ContentSum(algorithm, checksum.value)
  }
}

extension OpenFile {
  /// True if the file's bytes have this SHA-256 in hex. It reads the whole file on the calling thread.
  public func has(sha256: String) throws(FileError) -> Bool { try ContentSum(.sha256, sha256).is(of: self) }
}
