/// The checksum that travels with an object ("Checking object integrity in Amazon S3" in the S3 user guide).
public enum ChecksumAlgorithm: String, Choice {
  /// SHA-256: the signed hash of the payload. For an object in parts, S3 computes the SHA-256 of the parts' SHA-256.
  case sha256
  /// CRC-32C, always of the whole object, even if it is sent in parts.
  case crc32c
  /// CRC-64/NVME, always of the whole object: S3 supports nothing else for it.
  case crc64nvme
  /// None, and the payload is not signed either.
  case none
}
