import Foundation
import Glibc
import Synchronization

/// Something that some tests need of the machine, or of the user who runs them, and that not each has.
///
/// Nothing is guessed: each is tried once, when the first test asks for it. The mount is made, the server is started.
public enum Capability: String, CaseIterable, Sendable {
  // What the user may do.

  /// Running a program as a user of another number.
  case otherUser
  /// The users that tests of rights run programs as (`Tests/Support/test-users.sh`).
  case testUsers
  /// Leasing the files of others (`CAP_LEASE`).
  case lease
  /// Mounting a tmpfs.
  case mount
  /// Mounting in a mount namespace, be it as root of a user namespace.
  case privateMount
  /// To name hosts in /etc/hosts, of the tests' own machine.
  case hostNames
  /// Mounting a file system of FUSE that is written in Python.
  case fuse
  /// Mounting a directory again by bindfs.
  case bindfs
  /// Mounting an ext4 in a file.
  case loop
  /// Network namespaces, with links between them.
  case networkNamespace
  /// A systemd as process 1 of a machine of its own, over an overlay.
  case systemd
  /// A container of runc.
  case container

  // Programs that are installed, or unpacked below `.build-test`.

  /// A journald of a test's own.
  case journald
  /// journalctl, which makes and reads catalogs without a journald.
  case journalctl
  /// systemd-socket-activate.
  case socketActivation
  /// systemd-analyze, and systemd's own units.
  case systemdAnalyze
  /// tmux, as a person's terminal.
  case tmux
  /// The shell of SQLite.
  case sqliteShell
  /// mandoc and groff, which format manual pages.
  case manualFormatters
  /// ACLs on files, and their programs.
  case acl
  case browser, postgreSQL, nginx, prometheus, moto, ministack, tokenServer, sshd, samba, ftp
  /// What the receivers in PHP and shell need (`docs/examples/receivers`).
  case receiverPrograms
  /// Node, for the receiver in JavaScript.
  case node
  /// A Go toolchain, for the receiver in Go. It is used where it is installed: it would be hundreds of megabytes to bring along.
  case goToolchain
  /// Ansible, for the role that is shipped.
  case ansible
  /// createrepo_c and dnf.
  case dnf
  /// A broker of MQTT, and a client of it.
  case mosquitto
  /// A client of SMB that sends each request as a test wants (smbprotocol).
  case smbProtocol
  /// Schemathesis, which compares a server with the description of its API.
  case schemathesis
  /// Programs that others wrote, which check JSON Schemas and read webhooks, CloudEvents and event streams.
  case publicReaders
  /// What the Debian package is built with.
  case debhelper
  /// What the RPM package is built with.
  case rpmbuild
  /// umoci, which unpacks images.
  case umoci
  /// A tree of Debian 13 (`Tests/Support/debian13-tree.sh`).
  case debian13
  /// The system's table of media types.
  case mimeTypes

  // Servers that the run was started with (`scripts/test`).

  /// An S3 server that others wrote, named by `WAYBILL_TEST_S3`.
  case s3Server
  /// A Ceph gateway, named by `WAYBILL_TEST_CEPH`, whose users a test may change.
  case ceph
  /// OpenStack Swift with its S3 API, named by `WAYBILL_TEST_OPENSTACK`.
  case openStack
  /// awscli, named by `WAYBILL_TEST_AWS`.
  case awscli

  // What the programs under test and the kernel are.

  /// Programs under test that end at failpoints: debug builds.
  case failpoints
  /// Programs under test without a sanitizer.
  case noSanitizer
  /// A queue of inotify so short that a test can fill it.
  case shortEventQueue

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
    case .failpoints, .noSanitizer, .shortEventQueue, .goToolchain: .nature
    default: .program
    }
  }

  /// Its name, in words that follow "needs".
  public var name: String {
    switch self {
    case .otherUser: "to become another user"
    case .testUsers: "the tests' own users"
    case .lease: "to lease others' files"
    case .mount: "to mount"
    case .privateMount: "mounts of its own"
    case .hostNames: "to name hosts in a machine of the tests' own"
    case .fuse: "to mount by FUSE"
    case .bindfs: "to mount by bindfs"
    case .loop: "loop devices"
    case .networkNamespace: "network namespaces"
    case .systemd: "a systemd of its own"
    case .container: "containers"
    case .journald: "a journald of its own"
    case .journalctl: "journalctl"
    case .socketActivation: "systemd-socket-activate"
    case .systemdAnalyze: "systemd-analyze"
    case .tmux: "tmux"
    case .sqliteShell: "the sqlite3 program"
    case .manualFormatters: "mandoc and groff"
    case .acl: "ACLs"
    case .browser: "Chromium"
    case .postgreSQL: "PostgreSQL"
    case .nginx: "nginx"
    case .prometheus: "Prometheus's promtool"
    case .moto: "moto"
    case .schemathesis: "schemathesis"
    case .ministack: "ministack"
    case .tokenServer: "an OAuth server (Authlib)"
    case .sshd: "sshd"
    case .samba: "Samba"
    case .ftp: "an FTP server (pyftpdlib)"
    case .receiverPrograms: "PHP with SQLite, socat and jq"
    case .node: "Node"
    case .goToolchain: "a Go toolchain that is installed"
    case .ansible: "Ansible"
    case .dnf: "createrepo_c and dnf"
    case .mosquitto: "mosquitto"
    case .smbProtocol: "smbprotocol"
    case .publicReaders: "check-jsonschema and readers of webhooks and events"
    case .debhelper: "debhelper"
    case .rpmbuild: "rpmbuild"
    case .umoci: "umoci"
    case .debian13: "a tree of Debian 13"
    case .mimeTypes: "/etc/mime.types"
    case .s3Server: "an S3 server"
    case .ceph: "a Ceph gateway"
    case .openStack: "OpenStack Swift"
    case .awscli: "awscli"
    case .failpoints: "debug builds"
    case .noSanitizer: "builds without a sanitizer"
    case .shortEventQueue: "a short queue of inotify"
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
        if let reason = await need.missing { return "\(need.name): \(reason)" }
      }
      try await attempt()
      return nil
    } catch {
      return "\(error)".split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  /// What has to be there already.
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
