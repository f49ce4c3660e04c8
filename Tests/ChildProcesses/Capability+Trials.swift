import Foundation
import Glibc

/// The trials: each is the very thing that the tests do.
extension Capability {
  func attempt() async throws {
    switch self {
    case .otherUser: try await Self.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "true"])
    case .testUsers: try await becomeTestUsers()
    case .lease: try await leaseAnothersFile()
    case .mount: try await inFolder(#"mount -t tmpfs tmpfs "$1" && umount "$1""#)
    case .privateMount:
      let rights = geteuid() == 0 ? [] : ["--user", "--map-root-user"]
      try await Self.run(["unshare"] + rights + ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/run"])
    case .hostNames:
      _ = try Self.variable("WAYBILL_TEST_MACHINE")
      try await Self.run(["test", "-w", "/etc/hosts"])
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
    case .tmux: try await Self.run(Products.unpacked("clients") + ["tmux", "-V"])
    case .sqliteShell: try await Self.run(["sqlite3", "--version"])
    case .manualFormatters: try await Self.run(["sh", "-c", "command -v mandoc && groff --version"])
    case .acl: try await inFolder(#"setfacl -m u:65534:r "$1" && getfacl "$1""#)
    case .browser: try await findBrowser()
    case .postgreSQL: try await startPostgreSQL()
    case .nginx: try await Self.run(Products.unpacked("nginx") + ["nginx", "-V"])
    case .prometheus: try await Self.run(Products.unpacked("prometheus") + ["promtool", "--version"])
    case .moto: try await Self.run([Products.source(".build-test/moto-venv/bin/moto_server"), "--help"])
    case .schemathesis:
      try await Self.run([Products.source(".build-test/api-venv/bin/schemathesis"), "--version"])
    case .tokenServer:
      try await Self.run([Products.source(".build-test/token-venv/bin/python"), "-c", "import authlib"])
    case .sshd: try await Self.run(Products.unpacked("sshd") + ["sh", "-c", "command -v sshd && command -v scp"])
    case .samba:
      for program in ["smbd", "smbclient"] { try await Self.run(Products.unpacked("samba") + [program, "--version"]) }
    case .ftp: try await Self.run([Products.source(".build-test/ftp-venv/bin/python"), "-c", "import pyftpdlib"])
    case .receiverPrograms:
      try await Self.run(
        Products.unpacked("receivers")
          + ["sh", "-c", "command -v socat && command -v jq && { command -v php8.2 || command -v php; }"])
    case .node: try await Self.run(Products.unpacked("receivers") + ["node", "--version"])
    case .mosquitto:
      try await Self.run(
        Products.unpacked("mosquitto") + ["sh", "-c", "command -v mosquitto && command -v mosquitto_sub"])
    case .publicReaders:
      let python = Products.source(".build-test/readers-venv/bin/python")
      try await Self.run([python, "-c", "import check_jsonschema, cloudevents, httpx_sse, sseclient, standardwebhooks"])
    case .debhelper: try await Self.run(["sh", "-c", "dh --list && dpkg-buildpackage --version"])
    case .rpmbuild: try await Self.run(["rpmbuild", "--version"])
    case .umoci: try await Self.run(["umoci", "--version"])
    case .debian13: try Self.isThere(Products.source(".build-test/trixie/usr/lib/systemd/systemd"))
    case .s3Server: try await answers("WAYBILL_TEST_S3")
    case .ceph:
      _ = try Self.variable("WAYBILL_TEST_CEPH")
      try await answers("WAYBILL_TEST_S3")
    case .openStack: try await answers("WAYBILL_TEST_OPENSTACK")
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
    let place = try folder.folder("m")
    // Debian's Python, which has the module from Debian
    let child = try ChildProcess(["/usr/bin/python3", Products.support("forgetful-fs.py"), place.path])
    do {
      try await child.prints("that it is mounted") { $0.contains("mounted\n") }
    } catch {
      throw Missing(child.errorText.split(separator: "\n").last.map(String.init) ?? "\(error)")
    }
    try await Self.run(["umount", "--lazy", place.path])
  }

  private func bootSystemd() async throws {
    let folder = try TemporaryFolder()
    var words = [Products.support("systemd-up.sh"), folder.path, "--owner", String(getpid())]
    if let tree = ProcessInfo.processInfo.environment["WAYBILL_TEST_SYSTEMD_TREE"] { words += ["--root", tree] }
    try await Self.run(words)
    try await Self.run([Products.support("systemd-down.sh"), folder.path])
  }

  /// Runs `true` in a container whose programs are this machine's.
  private func runContainer() async throws {
    let folder = try TemporaryFolder()
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
    try await Self.run([Products.support("journald-up.sh"), folder.path])
    try await Self.run([Products.support("journald-down.sh"), folder.path])
  }

  /// The headless Chromium that is installed, by the first name that it has.
  public static let chromium = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].first(
    where: FileManager.default.isExecutableFile)

  private func findBrowser() async throws {
    guard let program = Self.chromium else { throw Missing("chromium-headless-shell is not installed") }
    let folder = try TemporaryFolder()
    try await Self.run([
      program, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(folder.path)", "--dump-dom",
      "about:blank",
    ])
  }

  private func startPostgreSQL() async throws {
    let folder = try TemporaryFolder()
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
