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
  case browser, postgreSQL, nginx, prometheus, moto, tokenServer, sshd, samba, ftp
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
  /// httpbin, named by `WAYBILL_TEST_HTTPBIN`.
  case httpBin
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
    case .otherUser, .testUsers, .lease, .mount, .privateMount, .fuse, .bindfs, .loop, .networkNamespace, .systemd,
      .container:
      .right
    case .failpoints, .noSanitizer, .shortEventQueue: .nature
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
    case .tokenServer: "an OAuth server (Authlib)"
    case .sshd: "sshd"
    case .samba: "Samba"
    case .ftp: "an FTP server (pyftpdlib)"
    case .debhelper: "debhelper"
    case .rpmbuild: "rpmbuild"
    case .umoci: "umoci"
    case .debian13: "a tree of Debian 13"
    case .mimeTypes: "/etc/mime.types"
    case .s3Server: "an S3 server"
    case .ceph: "a Ceph gateway"
    case .openStack: "OpenStack Swift"
    case .httpBin: "httpbin"
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

  // MARK: Trials

  private func attempt() async throws {
    switch self {
    case .otherUser: try await Self.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "true"])
    case .testUsers: try await becomeTestUsers()
    case .lease: try await leaseAnothersFile()
    case .mount: try await inFolder(#"mount -t tmpfs tmpfs "$1" && umount "$1""#)
    case .privateMount:
      let rights = geteuid() == 0 ? [] : ["--user", "--map-root-user"]
      try await Self.run(["unshare"] + rights + ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/run"])
    case .fuse: try await mountByPython()
    case .bindfs: try await inFolder(#"mkdir "$1/a" "$1/b" && bindfs "$1/a" "$1/b" && umount "$1/b""#)
    case .loop:
      try await inFolder(
        #"truncate -s 16M "$1/image" && mkfs.ext4 -q -F "$1/image" && mkdir "$1/m" && mount -o loop "$1/image" "$1/m" && umount "$1/m""#
      )
    case .networkNamespace:
      try await Self.run([
        "unshare", "--net", "sh", "-c",
        "ip link set lo up && ip link add near type veth peer name far && systemd-socket-activate --version",
      ])
    case .systemd: try await bootSystemd()
    case .container: try await runContainer()
    case .journald: try await startJournald()
    case .journalctl: try await Self.run(["journalctl", "--version"])
    case .socketActivation: try await Self.run(["systemd-socket-activate", "--version"])
    case .systemdAnalyze:
      try await Self.run(["systemd-analyze", "--version"])
      try Self.isThere("/usr/lib/systemd/system/basic.target")
    case .tmux: try await Self.run(Products.unpacked("clients") + ["tmux", "-V"])
    case .sqliteShell: try await Self.run(["sqlite3", "--version"])
    case .manualFormatters: try await Self.run(["sh", "-c", "command -v mandoc && groff --version"])
    case .acl: try await inFolder(#"setfacl -m u:65534:r "$1" && getfacl "$1""#)
    case .browser: try await findBrowser()
    case .postgreSQL: try await startPostgreSQL()
    case .nginx: try await Self.run(Products.unpacked("nginx") + ["nginx", "-V"])
    case .prometheus: try await Self.run(Products.unpacked("prometheus") + ["promtool", "--version"])
    case .moto: try await Self.run([Products.source(".build-test/moto-venv/bin/moto_server"), "--help"])
    case .tokenServer:
      try await Self.run([Products.source(".build-test/token-venv/bin/python"), "-c", "import authlib"])
    case .sshd: try await Self.run(Products.unpacked("sshd") + ["sh", "-c", "command -v sshd && command -v scp"])
    case .samba:
      for program in ["smbd", "smbclient"] { try await Self.run(Products.unpacked("samba") + [program, "--version"]) }
    case .ftp: try await Self.run([Products.source(".build-test/ftp-venv/bin/python"), "-c", "import pyftpdlib"])
    case .debhelper: try await Self.run(["sh", "-c", "dh --list && dpkg-buildpackage --version"])
    case .rpmbuild: try await Self.run(["rpmbuild", "--version"])
    case .umoci: try await Self.run(["umoci", "--version"])
    case .debian13: try Self.isThere(Products.source(".build-test/trixie/usr/lib/systemd/systemd"))
    case .mimeTypes: try Self.isThere("/etc/mime.types")
    case .s3Server: try await answers("WAYBILL_TEST_S3")
    case .ceph:
      _ = try Self.variable("WAYBILL_TEST_CEPH")
      try await answers("WAYBILL_TEST_S3")
    case .openStack: try await answers("WAYBILL_TEST_OPENSTACK")
    case .httpBin: try await answers("WAYBILL_TEST_HTTPBIN")
    case .awscli: try await Self.run([Self.variable("WAYBILL_TEST_AWS"), "--version"])
    case .failpoints: try haveFailpoints()
    case .noSanitizer: if Sanitizer.isOn { throw Missing("the programs are built with one") }
    case .shortEventQueue: try await measureEventQueue()
    }
  }

  /// Runs a command that has to succeed; the error is the last line that it said of its own.
  @discardableResult
  private static func run(_ words: [String]) async throws -> String {
    let command = try await Command.run(words)
    guard command.status == 0 else {
      let said = command.errors.split(separator: "\n").last { !$0.contains("dmesg(1)") }.map(String.init)
      throw Missing(said ?? "\(words.joined(separator: " ")) ended with \(command.status)")
    }
    return command.output
  }

  private static func isThere(_ path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { throw Missing("\(path) is not there") }
  }

  private static func variable(_ name: String) throws -> String {
    guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else {
      throw Missing("\(name) is not set (make test-system starts the servers)")
    }
    return value
  }

  /// Asks the server that a variable names; any answer will do.
  private func answers(_ variable: String) async throws {
    try await Self.run(["curl", "-q", "-sS", "--noproxy", "*", "-o", "/dev/null", Self.variable(variable)])
  }

  /// Runs a script with a new folder as its argument.
  private func inFolder(_ script: String) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try await Self.run(["sh", "-c", script, "sh", folder.path])
  }

  private func becomeTestUsers() async throws {
    try await Self.run([Products.support("test-users.sh")])
    for user in ["waybill-test", "waybill-drop-test"] {
      try await Self.run(["setpriv", "--reuid", user, "--regid", user, "--init-groups", "true"])
    }
  }

  /// A program of another user than the file's takes a lease by fcntl(2), with that capability alone.
  private func leaseAnothersFile() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let file = try folder.write("f", "x")
    try await Self.run(["chmod", "755", folder.path])
    try await Self.run(["chmod", "644", file])
    let take = "import fcntl, os, sys; fcntl.fcntl(os.open(sys.argv[1], os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)"
    try await Self.run(
      [
        "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps", "+lease", "--ambient-caps",
        "+lease", "--", try await Products.python.value, "-c", take, file,
      ])
  }

  private func mountByPython() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let place = try folder.folder("m")
    // Debian's Python, which has the module from Debian
    let child = try ChildProcess(["/usr/bin/python3", Products.support("forgetful-fs.py"), place.path])
    defer { child.cut() }
    do {
      try await child.prints("that it is mounted") { $0.contains("mounted\n") }
    } catch {
      throw Missing(child.errorText.split(separator: "\n").last.map(String.init) ?? "\(error)")
    }
    try await Self.run(["umount", "--lazy", place.path])
  }

  private func bootSystemd() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var words = [Products.support("systemd-up.sh"), folder.path, "--owner", String(getpid())]
    if let tree = ProcessInfo.processInfo.environment["WAYBILL_TEST_SYSTEMD_TREE"] { words += ["--root", tree] }
    try await Self.run(words)
    try await Self.run([Products.support("systemd-down.sh"), folder.path, "--kill"])
  }

  /// Runs `true` in a container whose programs are this machine's.
  private func runContainer() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let script = """
      set -e; cd "$1"; mkdir -p rootfs/usr rootfs/proc rootfs/dev rootfs/sys
      for name in bin lib lib64 sbin; do [ ! -e /usr/$name ] || ln -s usr/$name rootfs/$name; done
      mount --bind /usr rootfs/usr
      runc spec
      sed -i -e 's/"terminal": true/"terminal": false/' -e 's/"sh"/"true"/' config.json
      runc run "capability-$2"
      """
    try await Self.run([
      "unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", folder.path, String(getpid()),
    ])
  }

  private func startJournald() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try await Self.run([Products.support("journald-up.sh"), folder.path])
    try await Self.run([Products.support("journald-down.sh"), folder.path])
  }

  /// The headless Chromium that is installed, by the first name that it has.
  public static let chromium = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].first(
    where: FileManager.default.isExecutableFile)

  private func findBrowser() async throws {
    guard let program = Self.chromium else { throw Missing("chromium-headless-shell is not installed") }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try await Self.run([
      program, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(folder.path)", "--dump-dom",
      "about:blank",
    ])
  }

  private func startPostgreSQL() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let server = try await PostgreSQLServer(in: folder.url)
    server.cut()
  }

  private func haveFailpoints() throws {
    guard FileManager.default.contents(atPath: Products.daemon)?.range(of: Data("WAYBILL_FAILPOINT".utf8)) != nil else {
      throw Missing("\(Products.daemon) has no failpoints")
    }
  }

  private func measureEventQueue() async throws {
    let path = "/proc/sys/fs/inotify/max_queued_events"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard let length = Int(text.filter { !$0.isWhitespace }), length <= 100_000 else {
      throw Missing("\(path) is \(text)")
    }
  }
}
