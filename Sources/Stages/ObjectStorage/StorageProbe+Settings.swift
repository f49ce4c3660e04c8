import HTTPTransfer
import Jobs
import Settings

/// Other settings that a probe tries if a storage refuses a request with the configured ones.
enum TrialSettings {
  typealias Change = @Sendable (inout StorageSettings) -> Void

  /// The settings to try for an object in one piece: those that change the least first.
  static func forObject(_ settings: StorageSettings, hasLock: Bool) -> [Change] {
    let checksums = checksums(settings, hasLock: hasLock)
    guard !settings.overwrite else { return checksums }
    return [{ $0.overwrite = true }] + checksums
      + checksums.map { change in
        { settings in
          settings.overwrite = true
          change(&settings)
        }
      }
  }

  /// The settings to try for an upload in parts. The signed hash of each part remains where no header is taken.
  static func forParts(_ settings: StorageSettings, hasLock: Bool) -> [Change] {
    switch settings.checksum {
    case .sha256: checksums(settings, hasLock: hasLock) + [using(.crc64nvme), using(.crc32c)]
    case .crc32c: checksums(settings, hasLock: hasLock) + [using(.crc64nvme)]
    case .crc64nvme: checksums(settings, hasLock: hasLock) + [using(.crc32c)]
    case .none: []
    }
  }

  /// SHA-256 with and without its header. The lock of objects needs a header.
  private static func checksums(_ settings: StorageSettings, hasLock: Bool) -> [Change] {
    var changes: [Change] = settings.checksum.isCRC ? [using(.sha256)] : []
    if settings.checksum != .none, settings.checksumHeader, !hasLock {
      changes.append { settings in
        settings.use(.sha256)
        settings.checksumHeader = false
      }
    }
    return changes
  }

  private static func using(_ algorithm: ChecksumAlgorithm) -> Change {
    { $0.use(algorithm) }
  }
}

extension StorageSettings {
  /// Changes the checksum, and what the configuration does not allow beside it.
  mutating func use(_ algorithm: ChecksumAlgorithm) {
    checksum = algorithm
    if algorithm.isCRC { checksumHeader = true }
  }
}

extension S3Refusal {
  /// True if the storage may accept the same request with other settings, because it does not know a header or its value.
  var mayBeOfSettings: Bool {
    guard doubt == nil, !isPage, failure.kind != .credentials else { return false }
    return [400, 405, 411, 415, 422, 501].contains(answer.status)
  }
}
