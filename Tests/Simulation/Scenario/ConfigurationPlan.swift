/// A configuration, as far as scenarios vary it.
package struct ConfigurationPlan: Codable, Hashable, Sendable {
  package struct Daemon: Codable, Hashable, Sendable {
    package var concurrency: Int?
    package var admitAhead = 10_000
    package var historyDays = 30
    /// The same in seconds, if it is less than a day.
    package var historySeconds: Int?
    package var delays = [1, 3, 5, 10]
    /// True if a 503 is tried again as a 502 is.
    package var retriesUnavailable = false
    /// The most files that stay in a spool; nil for as many as in earnest.
    package var keepFiles: Int?

    package init() {}
  }

  package struct Storage: Codable, Hashable, Sendable {
    package var name: String
    package var host: String
    package var isTLS = true
    package var bucket = "documents"
    package var checksum = "sha256"
    package var overwrites = false
    /// The least megabytes of files that are sent in parts; parts have 5 MiB.
    package var megabytesInParts = 32
    /// The lock, or the encryption, that its objects must have; nil for none.
    package var seal: Seal?
    /// The most requests a second; nil for no limit.
    package var rate: Int?
    /// The backend that grants its uploads; nil for a storage with a key.
    package var grantor: String?
    package var grantSeconds = 3600

    package init(name: String, host: String) {
      self.name = name
      self.host = host
    }
  }

  /// `object_lock` or `encryption`.
  package enum Seal: Codable, Hashable, Sendable {
    case lock, encryption

    /// The header that a sealed object has, with its value.
    var mark: FarHeader {
      switch self {
      case .lock: FarHeader(ModelObject.lockHeader, "GOVERNANCE")
      case .encryption: FarHeader(ModelObject.encryptionHeader, "aws:kms")
      }
    }

    var line: String {
      switch self {
      case .lock: "object_lock = { mode = \"governance\", retain = \"1d\" }"
      case .encryption: "encryption = { kms = \"key-1\" }"
      }
    }
  }

  package struct Backend: Codable, Hashable, Sendable {
    package var name: String
    package var host: String
    package var isTLS = true
    /// True if it has a `health` that is asked before a job that tries it.
    package var hasHealth = false
    package var hasToken = true
    /// `conflict = "registered"`.
    package var takesConflicts = false

    package init(name: String, host: String) {
      self.name = name
      self.host = host
    }
  }

  package var daemon: Daemon
  package var storages: [Storage]
  package var backends: [Backend]
  package var spools: [SpoolPlan]

  package init(daemon: Daemon = Daemon(), storages: [Storage], backends: [Backend], spools: [SpoolPlan]) {
    self.daemon = daemon
    self.storages = storages
    self.backends = backends
    self.spools = spools
  }

  func mayGrant(at storage: Int) -> Bool {
    !spools.contains { $0.storage == storages[storage].name && $0.kind == .group }
  }

  /// The folder that files are released to, from the world's root.
  package static let releaseFolder = "released"
}

package struct SpoolPlan: Codable, Hashable, Sendable {
  package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
    case plain
    case sidecar
    /// Directories, which a file `DONE` completes.
    case group
    case recursive
  }

  /// Its name, which a reload may change.
  package var name: String
  package var directory: String
  package var kind: Kind
  package var storage: String
  package var backend: String
  package var archives: Bool
  /// The name of another archive than its own; nil for that.
  package var otherArchive: String?
  /// True if a document whose sidecar does not come is sent without.
  package var sendsWithoutSidecar: Bool
  /// True if a document does not wait for its sidecar, so that this one is always late.
  package var asksAtOnce = false
  /// True if the key has the file's name alone, so that two files may have the same.
  package var hasPlainKeys: Bool
  package var priority: Int
  /// True if it takes what is in directories too, whatever its kind.
  package var isRecursive = false
  package var keeps = false
  /// True if a file with the bytes of an earlier one is not sent.
  package var skipsDuplicates = false
  /// The beginning of the names that it takes; files with other names stay where they are. Nil for all names.
  package var prefix: String?

  package init(
    name: String, directory: String, kind: Kind = .plain, storage: String, backend: String, archives: Bool = false,
    sendsWithoutSidecar: Bool = false, hasPlainKeys: Bool = false, priority: Int = 0
  ) {
    self.name = name
    self.directory = directory
    self.kind = kind
    self.storage = storage
    self.backend = backend
    self.archives = archives
    self.sendsWithoutSidecar = sendsWithoutSidecar
    self.hasPlainKeys = hasPlainKeys
    self.priority = priority
  }

  /// The directory of its archive, from the world's root.
  package var archive: String {
    "archives/" + (otherArchive ?? directory.split(separator: "/").last.map(String.init) ?? directory)
  }
  package var after: String { keeps ? "keep" : archives ? "archive" : "delete" }
  /// The name of the file that completes a group.
  package static let marker = "DONE"
}
