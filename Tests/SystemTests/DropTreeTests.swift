import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Whole trees that programs drop into a spool with subdirectories, by a user other than the daemon's and set up as docs/spool.md
/// says, with the right to ask who has a file open and without it. Directories of mode 0755 are what people have.
@Suite(.slot, .needs(.testUsers, .lease, .sshd, .samba, .ftp))
struct DropTreeTests {
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case cp, tar, rsync, sftp, scp, samba, ftp

    var testDescription: String { rawValue }

    /// What the dropper types; `$1` is the folder that the tree `d` is in, `$2` the spool.
    var script: String? {
      switch self {
      case .cp: #"cp -r "$1/d" "$2/.d"; chmod -R g+rwX "$2/.d"; mv "$2/.d" "$2/d""#
      case .tar:
        #"""
        mkdir "$2/.in"; tar -C "$1" -c d | tar -C "$2/.in" -x; chmod -R g+rwX "$2/.in"
        mv "$2/.in/d" "$2/d"; rmdir "$2/.in"
        """#
      case .rsync, .sftp, .scp, .samba, .ftp: nil
      }
    }
  }

  private func drop(_ way: Way, _ source: URL, _ names: [String], _ rig: Rig) async throws {
    let spool = rig.setup.spool
    if let script = way.script {
      try await OtherUser.dropper.require(
        Products.unpacked("clients") + ["sh", "-ec", script, "_", source.path, spool.path])
    } else if [.rsync, .sftp, .scp].contains(way) {
      try await dropBySSH(way, source, rig)
    } else if way == .samba {
      let server = try await WindowsShare(for: .dropper, path: spool, in: rig.folder)
      let command = try await server.run("lcd \(source.path); recurse; prompt; mput d")
      #expect(command.status == 0, "\(command.errors)")
    } else {
      let server = try await FTPServer(for: .dropper, path: spool, in: rig.folder)
      for name in names { try await server.put(source.path + "/" + name, as: name) }
    }
  }

  private func dropBySSH(_ way: Way, _ source: URL, _ rig: Rig) async throws {
    let spool = rig.setup.spool.path
    let server = try await SSHServer(for: .dropper, in: rig.folder)
    try await Command.require(["chmod", "-R", "g+rwX", source.path])
    switch way {
    case .rsync:
      let rsync = Products.unpacked("clients") + ["rsync"]
      let words = ["-a", "--chmod=D2770,F0660", "-e", server.shell, "--rsync-path=" + rsync.joined(separator: " ")]
      try await Command.require(rsync + words + [source.path + "/d/", "\(server.host):\(spool)/.d/"])
      try await OtherUser.dropper.require(["mv", spool + "/.d", spool + "/d"])
    case .scp:
      try await Command.require(server.client("scp") + ["-r", source.path + "/d", "\(server.host):\(spool)/"])
    default:
      let batch = "cd \"\(spool)\"\nput -r \"\(source.path)/d\"\n"
      let command = try await Command.run(server.client("sftp") + ["-b", "-", server.host], input: Data(batch.utf8))
      #expect(command.status == 0, "\(command.errors)")
    }
  }

  /// Each way without the right, and with it one by which files are made and one by which they are moved in.
  static let ways: [(Way, Bool)] = Way.allCases.map { ($0, false) } + [(Way.sftp, true), (Way.cp, true)]

  @Test(arguments: ways)
  func registersTreeOnceAndKeepsFolders(_ way: Way, lease: Bool) async throws {
    try await withRig(
      users: OtherUsers(leases: lease),
      {
        $0.key = "{id}/{path}/{name}"
        $0.spoolLines = ["recursive = true"]
        $0.settleUnseen = "3s"
        // Of a file that was begun before its directory was watched no closing tells.
        if !lease { $0.settleOpen = "5s" }
      }
    ) { rig in
      let source = try rig.folder.madeFolder("source")
      let words = [try await Products.python.value, Products.support("dropper.py"), "nest", source.path, "4"]
      let manifest = try Manifest(try await Command.require(words))
      try await Command.require(["chmod", "-R", "u=rwX,go=rX", source.path])
      try await drop(way, source, manifest.sums.keys.sorted(), rig)
      try await manifest.expectRegistered(rig)
      try await rig.untilDisposed()
      let text = try rig.daemon.errorText
      let problems = try rig.daemon.told("WAYBILL_EVENT=spool-problem")
      #expect(!lease || problems == 0, "\(text)")
      #expect(FileManager.default.fileExists(atPath: rig.setup.spool.path + "/d/d/d/d"))
      // What made them goes on to use them.
      let again = #"umask 007; echo again > "$1/d/d/again""#
      try await OtherUser.dropper.require(["sh", "-ec", again, "_", rig.setup.spool.path])
      try await rig.daemon.job(named: "again", in: "registered")
    }
  }
}
