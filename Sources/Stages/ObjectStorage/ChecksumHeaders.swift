import HTTPTransfer
import Jobs
import Settings

/// Checksums as headers ("Checking object integrity in Amazon S3" in the S3 user guide).
extension S3Bucket {
  /// The header with the checksum of the sent bytes, by the configured algorithm. Without an algorithm there is no header, even if the
  /// SHA-256 is known for the backend: a storage may refuse the header.
  ///
  /// For an object with a lock, S3 also requires the header that names the algorithm ("PutObject" in the Amazon S3 API
  /// reference).
  func checksumHeaders(_ sums: Sums) -> [HTTPHeader] {
    guard let base64 = sums.base64 else { return [] }
    let header = HTTPHeader(sums.algorithm.header, base64)
    guard templates.hasLock, let name = sums.algorithm.name else { return [header] }
    return [header, HTTPHeader("x-amz-sdk-checksum-algorithm", name)]
  }
}

extension StorageSettings {
  /// The checksum algorithm and the encryption of an upload in parts, as they are recorded with the upload.
  ///
  /// - Parameter encryption: a mark that identifies the key of its parts; nil for none.
  /// - Parameter isWhole: true if the storage has said that it accepts the checksum of the whole object at the end. Many storages
  ///   accept only checksums of parts, and refuse the whole one after all bytes are sent.
  func uploadForm(encryption: String? = nil, isWhole: Bool) -> String {
    checksum.rawValue + (encryption.map { " " + $0 } ?? "")
      + (isWhole ? MultipartUpload.wholeMark : "")
  }

  /// True if an upload was begun with the checksum and the encryption of the current configuration.
  func isOfForm(_ upload: MultipartUpload, encryption: String? = nil) -> Bool {
    [true, false].contains { uploadForm(encryption: encryption, isWhole: $0) == upload.checksum }
  }
}

extension MultipartUpload {
  fileprivate static let wholeMark = " whole"

  /// True if the request that completes it may include the checksum of the whole object.
  var takesWholeChecksum: Bool { checksum.hasSuffix(Self.wholeMark) }
}
