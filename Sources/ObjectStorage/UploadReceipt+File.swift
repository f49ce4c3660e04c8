import Crypto
public import Jobs
public import LinuxFiles

extension UploadReceipt {
  /// Whether a file holds the bytes that were uploaded, by their SHA-256; nil where that was not taken of them all.
  ///
  /// Reads the whole file on the calling thread.
  public func isOf(_ file: OpenFile) throws(FileError) -> Bool? {
    guard let sha256 else { return nil }
    var hash = SHA256()
    var offset: Int64 = 0
    while true {
      let bytes = try file.read(at: offset, count: 256 << 10)
      guard !bytes.isEmpty else { break }
      hash.update(data: bytes)
      offset += Int64(bytes.count)
    }
    return Hex.text(hash.finalize()) == sha256
  }
}
