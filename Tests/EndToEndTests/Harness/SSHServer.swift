import ChildProcesses
import Foundation

/// A real sshd on loopback, run by the one user who may log in, with keys of its own.
struct SSHServer {
  /// The program: what is installed, else what was unpacked for the tests.
  private static let program =
    ["/usr/sbin/sshd", Products.source(".build-test/sshd/usr/sbin/sshd")].first(
      where: FileManager.default.isExecutableFile)

  /// Whether the tests that need it run; where servers are required they run and fail without one.
  static var canRun: Bool { UnixUser.canRun && (Missing.serverIsFailure || program != nil) }

  let port: Int
  private let folder: URL
  private let user: UnixUser
  private let child: ChildProcess

  /// Starts one for a user and waits until it listens.
  init(for user: UnixUser, in parent: URL) async throws {
    guard let program = Self.program else { throw Missing("no sshd") }
    self.user = user
    folder = parent.appending(path: "ssh")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for key in ["host", "key"] {
      try await Command.require(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder.path + "/" + key])
    }
    port = Ports.free()
    let configuration = """
      ListenAddress 127.0.0.1
      Port \(port)
      HostKey \(folder.path)/host
      AuthorizedKeysFile \(folder.path)/key.pub
      PidFile none
      StrictModes no
      UsePAM no
      PasswordAuthentication no
      Subsystem sftp internal-sftp
      """
    let config = folder.appending(path: "sshd_config")
    try configuration.write(to: config, atomically: true, encoding: .utf8)
    for file in ["host", "host.pub", "key.pub", "sshd_config", "."] {
      try await Command.require(["chown", user.rawValue, folder.path + "/" + file])
    }
    child = try ChildProcess(user.prefix + [program, "-D", "-e", "-f", config.path], folder: folder, log: "sshd")
    try await until("sshd to listen") { [child] in
      guard try child.ending() == nil else { throw Missing("sshd ended at its start: \(child.errorText)") }
      return child.errorText.contains("Server listening")
    }
  }

  /// Options of scp and sftp alike.
  var options: [String] {
    ["-q", "-P", String(port), "-i", folder.path + "/key", "-F", "/dev/null"]
      + ["BatchMode=yes", "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR"].flatMap {
        ["-o", $0]
      }
  }

  /// What rsync's `-e` takes.
  var shell: String {
    (["ssh"] + options.map { $0 == "-P" ? "-p" : $0 }).joined(separator: " ")
  }

  /// The user at this host.
  var host: String { "\(user.rawValue)@127.0.0.1" }

  /// For the end of a test.
  func cut() { child.cut() }
}
