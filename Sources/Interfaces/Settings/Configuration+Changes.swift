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
    let kept = keepingWhatIsFixed(of: old).daemon
    changes.needsRestart = daemon.keys(otherThanIn: kept)
    changes.changed = kept.keys(otherThanIn: old.daemon)
    if retry != old.retry { changes.changed.append("retry") }
    changes.compare("storage", allStorages, old.allStorages)
    changes.compare("backend", backends, old.backends)
    changes.compare("webhook", webhooks, old.webhooks)
    changes.compare("spool", Self.byName(spools), Self.byName(old.spools))
    return changes
  }

  /// Returns this configuration, except that settings that take effect only at a start keep their old values.
  public func keepingWhatIsFixed(of old: Configuration) -> Configuration {
    var kept = self
    kept.daemon.state = old.daemon.state
    kept.daemon.control = old.daemon.control
    kept.daemon.defaultControl = old.daemon.defaultControl
    kept.daemon.metrics = old.daemon.metrics
    kept.daemon.timeZone = old.daemon.timeZone
    return kept
  }

  private var allStorages: [String: AnyHashable] {
    storages.mapValues(AnyHashable.init).merging(granted.mapValues(AnyHashable.init)) { first, _ in first }
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
  private var values: KeyValuePairs<String, AnyHashable> {
    [
      "state": state, "control": control, "metrics": metrics, "timezone": timeZone, "concurrency": concurrency,
      "min_free": minFree, "bandwidth": bandwidth, "history": history, "journal": journal, "fleet_user": fleetUser,
    ]
  }

  fileprivate func keys(otherThanIn other: DaemonSettings) -> [String] {
    zip(values, other.values).filter { $0.value != $1.value }.map { own, _ in "daemon.\(own.key)" }
  }
}
