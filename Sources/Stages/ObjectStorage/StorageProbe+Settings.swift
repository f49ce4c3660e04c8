import HTTPTransfer
import Jobs
import Settings

/// Other settings that a probe tries if a storage refuses a request with the configured ones.
enum TrialSettings {
  typealias Change = @Sendable (inout S3Bucket.Options) -> Void

  /// The settings to try for a single PUT, those with the smallest changes first.
  static func forObject(_ options: S3Bucket.Options) -> [Change] {
    let checksums = checksums(options)
    guard !options.overwrite else { return checksums }
    return [{ $0.overwrite = true }] + checksums
      + checksums.map { change in
        { options in
          options.overwrite = true
          change(&options)
        }
      }
  }

  /// The settings to try for an upload in parts. If the storage accepts no checksum header, the signed hash of each part remains.
  static func forParts(_ options: S3Bucket.Options) -> [Change] {
    switch options.checksum {
    case .sha256: checksums(options) + [using(.crc64nvme), using(.crc32c)]
    case .crc32c: checksums(options) + [using(.crc64nvme)]
    case .crc64nvme: checksums(options) + [using(.crc32c)]
    case .none: []
    }
  }

  /// SHA-256 with and without its header. A lock requires the header.
  private static func checksums(_ options: S3Bucket.Options) -> [Change] {
    var changes: [Change] = options.checksum.isCRC ? [using(.sha256)] : []
    if options.checksum != .none, options.checksumHeader, !options.templates.hasLock {
      changes.append { options in
        options.use(.sha256)
        options.checksumHeader = false
      }
    }
    return changes
  }

  private static func using(_ algorithm: ChecksumAlgorithm) -> Change {
    { $0.use(algorithm) }
  }
}

extension S3Bucket.Options {
  /// Changes the checksum, and the other settings that the configuration does not allow together with it.
  mutating func use(_ algorithm: ChecksumAlgorithm) {
    checksum = algorithm
    if algorithm.isCRC { checksumHeader = true }
    if !algorithm.isCRC, checksumTrailer == .on { checksumTrailer = .off }
  }
}

extension S3Refusal {
  /// True if the storage may accept the same request with other settings, because it does not know a header or its value.
  var mayBeOfSettings: Bool {
    guard doubt == nil, !isPage, failure.kind != .credentials else { return false }
    return [400, 405, 411, 415, 422, 501].contains(answer.status)
  }
}
