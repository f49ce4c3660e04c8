import ChildProcesses
import Foundation

/// A real sshd on loopback, run by the one user who may log in, with keys of its own.
struct SSHServer {
  private static let unpacked = Products.unpacked("sshd")

  let port: Int
  private let folder: URL
  private let user: OtherUser
  private let child: ChildProcess

  init(for user: OtherUser, in parent: URL) async throws {
    self.user = user
    folder = parent.appending(path: "ssh")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for key in ["host", "key"] {
      try await Command.require(
        Self.unpacked + ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder.path + "/" + key])
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
      SetEnv "PATH=\(Products.source(".build-test/sshd/usr/bin")):/usr/bin:/bin"
      """
    let config = folder.appending(path: "sshd_config")
    try configuration.write(to: config, atomically: true, encoding: .utf8)
    for file in ["host", "host.pub", "key.pub", "sshd_config", "."] {
      try await Command.require(["chown", user.name, folder.path + "/" + file])
    }
    child = try ChildProcess(
      user.words(Self.unpacked + ["sshd", "-D", "-e", "-f", config.path]), folder: folder, log: "sshd")
    try await until("sshd to listen") { [child] in
      guard try child.ending() == nil else { throw Missing("sshd ended at its start: \(child.errorText)") }
      return child.errorText.contains("Server listening")
    }
  }

  func client(_ name: String) -> [String] { Self.unpacked + [name, "-S", "ssh", "-P", String(port)] + options }

  private var options: [String] {
    ["-q", "-i", folder.path + "/key", "-F", "/dev/null"]
      + ["BatchMode=yes", "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR"].flatMap {
        ["-o", $0]
      }
  }

  var shell: String {
    (Self.unpacked.map { "'\($0)'" } + ["ssh", "-p", String(port)] + options).joined(separator: " ")
  }

  var host: String { "\(user.name)@127.0.0.1" }
}
