public import Jobs

/// A complete, checked configuration: every value is in its range and every name refers to something.
public struct Configuration: Sendable, Equatable {
  /// `[daemon]`.
  public var daemon: DaemonSettings
  /// `[retry]`: the rules for destinations that have no `retry` of their own.
  public var retry: RetryPolicy
  /// Each `[storage.NAME]` of S3 by its name.
  public var storages: [String: StorageSettings]
  /// Each `[storage.NAME]` with `from`, by its name.
  public var granted: [String: GrantedSettings]
  /// Each `[backend.NAME]` by its name.
  public var backends: [String: BackendSettings]
  /// Each `[[spool]]`, in the order of the files.
  public var spools: [SpoolOptions]
  /// The file of each spool, and the line of its `[[spool]]`, by the spool's name.
  package var places: [String: (file: String, line: Int?)] = [:]
  /// Each `[webhook.NAME]` by its name.
  public var webhooks: [String: WebhookSettings]
  /// The keys that the environment sets, by the names of the variables.
  public var variables: [String: String]

  /// Returns true if two configurations have the same settings, wherever they are written.
  public static func == (one: Configuration, other: Configuration) -> Bool {
    one.daemon == other.daemon && one.retry == other.retry && one.storages == other.storages
      && one.granted == other.granted && one.backends == other.backends && one.spools == other.spools
      && one.webhooks == other.webhooks
  }

  /// The limits of requests a second, by the texts of the destinations.
  public var rates: [String: Double] {
    var rates: [String: Double] = [:]
    for (name, backend) in backends { rates["backend.\(name)"] = backend.rate }
    for (name, storage) in storages { rates["storage.\(name)"] = storage.rate }
    for (name, storage) in granted { rates["storage.\(name)"] = storage.rate }
    return rates
  }

  /// The contents in a line: `1 storage, 1 backend, 2 spools`.
  public var summary: String {
    func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
    return [
      count(storages.count + granted.count, "storage"), count(backends.count, "backend"), count(spools.count, "spool"),
    ]
    .joined(separator: ", ")
  }
}
