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
