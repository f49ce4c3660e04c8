import Settings

/// A change of a setting in `[storage.NAME]` that a probe recommends.
public struct SettingChange: Hashable, Sendable {
  /// The key, e.g. `checksum`.
  public var key: String
  /// The new value as TOML writes it, e.g. `"sha256"`.
  public var value: String
  /// The current value, in the same form. It may be the default.
  public var was: String
  /// The reason, as a predicate of the storage, without a full stop.
  public var reason: String

  /// A change with its reason.
  init(key: String, value: String, was: String, reason: String) {
    self.key = key
    self.value = value
    self.was = was
    self.reason = reason
  }

  /// The key and the new value as a line of the configuration.
  public var line: String { "\(key) = \(value)" }
}

extension SettingChange {
  /// The changes that lead from some settings to others.
  static func between(_ old: StorageSettings, _ new: StorageSettings, because reason: String) -> [SettingChange] {
    let values: [(key: String, was: String, value: String)] = [
      ("checksum", "\"\(old.checksum.rawValue)\"", "\"\(new.checksum.rawValue)\""),
      ("overwrite", "\(old.overwrite)", "\(new.overwrite)"),
    ]
    return values.filter { $0.was != $0.value }.map {
      SettingChange(key: $0.key, value: $0.value, was: $0.was, reason: reason)
    }
  }
}

extension [SettingChange] {
  /// The changes as lines of the configuration, joined by "and".
  public var lines: String { map(\.line).joined(separator: " and ") }
}
