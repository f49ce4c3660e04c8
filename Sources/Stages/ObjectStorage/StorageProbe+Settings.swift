import HTTPTransfer
import Jobs
import Settings

/// Other settings that a probe tries if a storage refuses a request with the configured ones.
enum TrialSettings {
  typealias Change = @Sendable (inout StorageSettings) -> Void

  /// The settings to try for an object in one piece: those that change the least first.
  static func forObject(_ settings: StorageSettings) -> [Change] {
    let checksums = checksums(settings)
    guard !settings.overwrite else { return checksums }
    return [{ $0.overwrite = true }] + checksums
      + checksums.map { change in
        { settings in
          settings.overwrite = true
          change(&settings)
        }
      }
  }

  /// The settings to try for an upload in parts.
  static func forParts(_ settings: StorageSettings) -> [Change] {
    switch settings.checksum {
    case .sha256: [using(.crc64nvme), using(.crc32c)]
    case .crc32c: checksums(settings) + [using(.crc64nvme)]
    case .crc64nvme: checksums(settings) + [using(.crc32c)]
    case .none: []
    }
  }

  /// Returns the lines of the configuration that change some settings into others, joined by "and".
  static func lines(from old: StorageSettings, to new: StorageSettings) -> String {
    var lines: [String] = []
    if new.checksum != old.checksum { lines.append("checksum = \"\(new.checksum.rawValue)\"") }
    if new.overwrite != old.overwrite {
      lines.append("overwrite = \(new.overwrite) (only if each key has {id}, or files of one name replace each other)")
    }
    return lines.joined(separator: " and ")
  }

  /// SHA-256 in place of a CRC.
  private static func checksums(_ settings: StorageSettings) -> [Change] {
    settings.checksum.isCRC ? [using(.sha256)] : []
  }

  private static func using(_ algorithm: ChecksumAlgorithm) -> Change {
    { $0.checksum = algorithm }
  }
}

extension S3Refusal {
  /// True if the storage may accept the same request with other settings, because it does not know a header or its value.
  var mayBeOfSettings: Bool {
    guard doubt == nil, !isPage, failure.kind != .credentials else { return false }
    return [400, 405, 411, 415, 422, 501].contains(answer.status)
  }
}
