import Crypto
import FoundationEssentials
import HTTPTransfer
import Jobs

/// Checksums as headers ("Checking object integrity in Amazon S3" in the S3 user guide).
extension S3Bucket {
  /// The header that carries the checksum of the sent bytes: of the configured algorithm, otherwise SHA-256 if it is known. S3
  /// takes one algorithm per request.
  func checksumHeaders(_ sums: Sums) -> [HTTPHeader] {
    if options.travels(sums.algorithm) { return sums.headers + named(sums.algorithm) }
    guard options.checksumHeader, let sha256 = sums.sha256Base64 else { return [] }
    return [HTTPHeader(ChecksumAlgorithm.sha256.header, sha256)] + named(.sha256)
  }

  /// The header that names the algorithm, as an object with a lock needs it ("PutObject" in the Amazon S3 API reference).
  private func named(_ algorithm: ChecksumAlgorithm) -> [HTTPHeader] {
    guard options.templates.hasLock, let name = algorithm.name else { return [] }
    return [HTTPHeader("x-amz-sdk-checksum-algorithm", name)]
  }
}

extension S3Bucket.Options {
  /// True if checksums of an algorithm travel in a header.
  func travels(_ algorithm: ChecksumAlgorithm) -> Bool {
    switch algorithm {
    case .sha256: checksumHeader
    case .crc32c, .crc64nvme: true
    case .none: false
    }
  }

  /// The checksum algorithm that an upload in parts is begun with, as it is kept with the upload.
  var uploadChecksum: String { (travels(checksum) ? checksum : .none).rawValue }
}
