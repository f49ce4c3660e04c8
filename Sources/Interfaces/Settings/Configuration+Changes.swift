import Jobs

/// The differences between a configuration and the one before it, by the names of sections and keys.
public struct ConfigurationChanges: Hashable, Sendable {
  /// The new storages, backends and spools, e.g. `storage.cold`.
  public var added: [String] = []
  /// The storages, backends and spools that changed, `retry`, and keys of `[daemon]`, e.g. `daemon.concurrency`.
  public var changed: [String] = []
  /// The storages, backends and spools that are gone.
  public var removed: [String] = []
  /// The keys that have changed and take effect only at the next start, e.g. `daemon.state`.
  public var needsRestart: [String] = []

  /// True if nothing changed.
  public var isEmpty: Bool { self == ConfigurationChanges() }
}

extension Configuration {
  /// Returns the differences from an older configuration.
  public func changes(from old: Configuration) -> ConfigurationChanges {
    var changes = ConfigurationChanges()
    for key in DaemonSettings.fixed where key.isOther(daemon, old.daemon) { changes.needsRestart.append(key.name) }
    for key in DaemonSettings.movable where key.isOther(daemon, old.daemon) { changes.changed.append(key.name) }
    if retry != old.retry { changes.changed.append("retry") }
    if notify != old.notify { changes.changed.append("notify") }
    changes.compare("storage", storages, old.storages)
    changes.compare("backend", backends, old.backends)
    changes.compare("webhook", webhooks, old.webhooks)
    changes.compare("spool", Self.byName(spools), Self.byName(old.spools))
    return changes
  }

  /// Returns this configuration, except that settings that take effect only at a start keep their old values.
  public func keepingWhatIsFixed(of old: Configuration) -> Configuration {
    var kept = self
    kept.daemon.defaultControl = old.daemon.defaultControl
    for key in DaemonSettings.fixed { key.copy(old.daemon, &kept.daemon) }
    return kept
  }

  private static func byName(_ spools: [SpoolOptions]) -> [String: SpoolOptions] {
    Dictionary(spools.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension ConfigurationChanges {
  fileprivate mutating func compare<Section: Equatable>(
    _ kind: String, _ new: [String: Section], _ old: [String: Section]
  ) {
    for (name, section) in new.sorted(by: { $0.key < $1.key }) {
      guard let before = old[name] else {
        added.append("\(kind).\(name)")
        continue
      }
      if section != before { changed.append("\(kind).\(name)") }
    }
    removed += old.keys.filter { new[$0] == nil }.sorted().map { "\(kind).\($0)" }
  }
}

extension DaemonSettings {
  /// A key of `[daemon]`, with functions that compare and copy its value.
  fileprivate struct Key: Sendable {
    let name: String
    let isOther: @Sendable (DaemonSettings, DaemonSettings) -> Bool
    let copy: @Sendable (DaemonSettings, inout DaemonSettings) -> Void

    init<Value: Equatable & SendableMetatype>(
      _ name: String, _ value: any WritableKeyPath<DaemonSettings, Value> & Sendable
    ) {
      self.name = "daemon." + name
      isOther = { $0[keyPath: value] != $1[keyPath: value] }
      copy = { $1[keyPath: value] = $0[keyPath: value] }
    }
  }

  /// The keys that are read only at the start.
  fileprivate static let fixed = [
    Key("state", \.state), Key("control", \.control), Key("metrics", \.metrics), Key("timezone", \.timeZone),
  ]

  /// The keys that a reload puts into effect.
  fileprivate static let movable = [
    Key("concurrency", \.concurrency), Key("min_free", \.minFree),
    Key("bandwidth", \.bandwidth), Key("history", \.history),
    Key("journal", \.journal), Key("fleet_user", \.fleetUser),
  ]
}
