import HTTPTransfer
import Jobs
import Settings

extension ChecksumAlgorithm {
  /// S3's name for it, as in `x-amz-checksum-algorithm` and in S3's XML.
  var name: String? {
    switch self {
    case .sha256: "SHA256"
    case .crc32c: "CRC32C"
    case .crc64nvme: "CRC64NVME"
    case .none: nil
    }
  }

  /// The name of the header for its value, `x-amz-checksum-…`.
  var header: String {
    switch self {
    case .sha256: "x-amz-checksum-sha256"
    case .crc32c: "x-amz-checksum-crc32c"
    case .crc64nvme: "x-amz-checksum-crc64nvme"
    case .none: "x-amz-checksum-none"
    }
  }

  /// True if it is a CRC, which detects accidental damage alone.
  var isCRC: Bool { self == .crc32c || self == .crc64nvme }

  /// The element for its value in S3's XML.
  var element: String { "Checksum" + (name ?? "") }

  /// The value of `x-amz-checksum-type`.
  var typeInParts: String { extentInParts == .full ? "FULL_OBJECT" : "COMPOSITE" }

  /// The bytes that S3 computes it over for an object in parts: all bytes, or the checksums of the parts.
  var extentInParts: Checksum.Extent { self == .sha256 ? .composite : .full }
}

/// Checksums as headers ("Checking object integrity in Amazon S3" in the S3 user guide).
extension S3Bucket {
  /// The header with the checksum of the sent bytes, by the configured algorithm. Without one there is none, also if the SHA-256 is
  /// known because the backend gets it: a storage may refuse the header.
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
  ///   accept only those of the parts, and refuse the other one after all bytes are sent.
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
