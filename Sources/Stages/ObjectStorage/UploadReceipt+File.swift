public import Jobs
public import Linux
import Settings

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
