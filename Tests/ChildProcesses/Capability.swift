import Glibc
import Synchronization

/// Something that some tests need of the machine, or of the user who runs them, and that not each has.
///
/// Nothing is guessed: each is tried once, when the first test asks for it. The mount is made, the server is started.
public enum Capability: String, CaseIterable, Sendable {
  // Each in words that follow "needs".

  // What the user may do.
  case otherUser = "to become another user"
  /// `Tests/Support/test-users.sh`.
  case testUsers = "the tests' own users"
  /// `CAP_LEASE`.
  case lease = "to lease others' files"
  case mount = "to mount"
  /// In a mount namespace, be it as root of a user namespace.
  case privateMount = "mounts of its own"
  case hostNames = "to name hosts in a machine of the tests' own"
  case fuse = "to mount by FUSE"
  case bindfs = "to mount by bindfs"
  case loop = "loop devices"
  case networkNamespace = "network namespaces"
  case systemd = "a systemd of its own"
  case container = "containers"

  // Programs that are installed, or unpacked below `.build-test`.
  case journald = "a journald of its own"
  case journalctl = "journalctl"
  case socketActivation = "systemd-socket-activate"
  case tmux = "tmux"
  case sqliteShell = "the sqlite3 program"
  case manualFormatters = "mandoc and groff"
  case acl = "ACLs"
  case browser = "Chromium"
  case postgreSQL = "PostgreSQL"
  case nginx = "nginx"
  case prometheus = "Prometheus's promtool"
  case moto = "moto"
  case tokenServer = "an OAuth server (Authlib)"
  case sshd = "sshd"
  case samba = "Samba"
  case ftp = "an FTP server (pyftpdlib)"
  case receiverPrograms = "PHP with SQLite, socat and jq"
  case node = "Node"
  case mosquitto = "mosquitto"
  case schemathesis = "schemathesis"
  case publicReaders = "check-jsonschema and readers of webhooks and events"
  case debhelper = "debhelper"
  case rpmbuild = "rpmbuild"
  case umoci = "umoci"
  /// `Tests/Support/debian13-tree.sh`.
  case debian13 = "a tree of Debian 13"

  // Servers that the run was started with (`scripts/test`).
  /// Named by `WAYBILL_TEST_S3`; others wrote it.
  case s3Server = "an S3 server"
  /// Named by `WAYBILL_TEST_CEPH`; a test may change its users.
  case ceph = "a Ceph gateway"
  /// With its S3 API, named by `WAYBILL_TEST_OPENSTACK`.
  case openStack = "OpenStack Swift"
  /// Named by `WAYBILL_TEST_AWS`.
  case awscli = "awscli"

  // What the programs under test and the kernel are.
  /// Programs under test that end at failpoints.
  case failpoints = "debug builds"
  case noSanitizer = "builds without a sanitizer"
  /// So short that a test can fill it.
  case shortEventQueue = "a short queue of inotify"

  /// The kinds of what may be missing.
  public enum Kind: String, CaseIterable, Sendable {
    /// The user who runs the tests may not.
    case right
    /// A program or server is not there.
    case program
    /// It is so with these builds, or on this machine, whoever runs the tests.
    case nature
  }

  /// The kind of what is missing where this is.
  public var kind: Kind {
    switch self {
    case .otherUser, .testUsers, .lease, .mount, .privateMount, .fuse, .bindfs, .loop, .networkNamespace,
      .systemd, .container:
      .right
    case .failpoints, .noSanitizer, .shortEventQueue: .nature
    default: .program
    }
  }

  private static let trials = Mutex<[Capability: Task<String?, Never>]>([:])

  /// Why this is not there, in words; nil where it is. It is tried at the first call.
  public var missing: String? {
    get async {
      let trial = Self.trials.withLock { trials in
        let trial = trials[self] ?? Task { await reason() }
        trials[self] = trial
        return trial
      }
      return await trial.value
    }
  }

  /// Whether this is there. It is tried at the first call.
  public var isThere: Bool { get async { await missing == nil } }

  private func reason() async -> String? {
    do {
      for need in needs {
        if let reason = await need.missing { return "\(need.rawValue): \(reason)" }
      }
      try await attempt()
      return nil
    } catch {
      return "\(error)".split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  private var needs: [Capability] {
    switch self {
    case .testUsers: [.otherUser, .acl]
    case .lease: [.otherUser]
    case .networkNamespace: [.privateMount]
    case .journald: [.privateMount]
    // A sanitizer's options and libraries do not come along, and its threads need a personality(2) that the units forbid.
    case .systemd, .container: [.noSanitizer, .mount]
    case .debian13: [.debhelper]
    default: []
    }
  }
}
