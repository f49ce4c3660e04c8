/// The answer to `POST /v1/reload`: the differences that are in effect.
public struct ReloadAnswer: Hashable, Sendable, Codable {
  /// The most jobs that are listed.
  public static let mostListed = 1000

  /// The new storages, backends and spools, e.g. `storage.cold`.
  public var added: [String]
  /// The storages, backends and spools that changed, `retry`, and keys such as `daemon.concurrency`.
  public var changed: [String]
  /// The storages, backends and spools that are gone.
  public var removed: [String]
  /// The keys that have changed and take effect only after a restart, e.g. `daemon.state`.
  public var needsRestart: [String]
  /// The jobs that ask a question now, because their destination is no longer configured; at most ``mostListed``.
  public var asking: [Int64]
  /// The number of all those jobs.
  public var askingCount: Int
  /// The spools and archives that cannot be used yet, with the remedy: `spool scans: there is no directory …`.
  public var problems: [String]
  /// The whole answer in a sentence.
  public var message: String

  enum CodingKeys: String, CodingKey {
    case added, changed, removed, asking, problems, message
    case needsRestart = "needs_restart"
    case askingCount = "asking_count"
  }

  /// Creates an answer; the sentence is made from the rest.
  public init(
    added: [String], changed: [String], removed: [String], needsRestart: [String], asking: [Int64],
    problems: [String] = []
  ) {
    self.added = added
    self.changed = changed
    self.removed = removed
    self.needsRestart = needsRestart
    self.asking = Array(asking.prefix(Self.mostListed))
    askingCount = asking.count
    self.problems = problems
    message = Self.sentence(added, changed, removed, needsRestart, asking)
  }

  private static func sentence(
    _ added: [String], _ changed: [String], _ removed: [String], _ needsRestart: [String], _ asking: [Int64]
  ) -> String {
    let parts = [("changed", changed), ("added", added), ("removed", removed)]
      .filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.joined(separator: ", "))" }
    var words = "configuration reloaded: " + (parts.isEmpty ? "nothing changed" : parts.joined(separator: "; "))
    if !needsRestart.isEmpty {
      words += "; only after a restart: \(needsRestart.joined(separator: ", "))"
    }
    switch asking.count {
    case 0: break
    case 1: words += "; job \(asking[0]) asks, because its destination is no longer configured"
    default:
      words +=
        "; \(asking.count) jobs ask, because their destination is no longer configured (the first is \(asking[0]))"
    }
    return words
  }
}
