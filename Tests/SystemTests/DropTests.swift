import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What people drop files with, run for real by another user than the daemon's, into a spool with the rights that the
/// manual gives it: every file is registered exactly once, with the bytes that were sent, and none waits for as long as one that may be open,
/// may the daemon ask who has a file open or not.
@Suite(.slot, .needs(.testUsers, .lease, .sshd))
struct DropTests {
  /// Files to send, in a folder of their own; the mode is one that scanners and people have.
  private func makeFiles(_ rig: Rig, _ prefix: String, count: Int, bytes: Int = 200_000) throws -> URL {
    let folder = rig.folder.appending(path: "source-" + prefix)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var random = Seeds.numbers()
    for number in 1...count {
      let size = number == 1 ? 0 : Int.random(in: 1...bytes, using: &random)
      let data = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
      let file = folder.appending(path: "\(prefix) \(number).bin")
      try data.write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    }
    return folder
  }

  private func paths(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { folder.path + "/" + $0 }
  }

  /// Names and hashes, a line each, as sha256sum has them.
  private func manifest(_ folders: [URL]) async throws -> [String] {
    try await Command.require(["sha256sum", "--"] + folders.flatMap { try paths($0) })
      .split(separator: "\n").map { line in
        "\(line.prefix(64)) \(line.split(separator: "/").last ?? "")"
      }.sorted()
  }

  private func withDropper(leases: Bool, _ body: (Rig, SSHServer) async throws -> Void) async throws {
    try await withRig(starting: false) { rig in
      let rig = try await rig.owned(leases: leases)
      defer { rig.daemon.cut() }
      let server = try await SSHServer(for: .dropper, in: rig.folder)
      defer { server.cut() }
      try await rig.daemon.start()
      try await body(rig, server)
    }
  }

  /// Waits until as many are registered as were sent, and compares names and hashes with what the server got.
  private func check(_ rig: Rig, _ folders: URL...) async throws {
    let sent = try await manifest(folders)
    try await until("all to be registered") {
      let counts = try await rig.daemon.status().counts
      #expect(counts["awaiting-confirmation"] == 0)
      return counts.registered.int == sent.count
    }
    let objects = try await rig.sandbox.objects()
    let lines = try rig.sandbox.registrations()
    let received = lines.map { line in
      let object = objects[line.body.key.string ?? ""] ?? .null
      return "\(object.sha256.string ?? "?") \(line.body.name.string ?? "?")"
    }
    #expect(received.sorted() == sent)
    #expect(Set(lines.map(\.body.id)).count == sent.count)
    #expect(objects.count == sent.count)
    try await until("the files to be gone") { try rig.filesLeft() == [] }
    #expect(try await rig.daemon.count("registered") == sent.count, "and none of them came again")
  }

  /// The last one comes so slowly that there are pauses much longer than `settle`.
  @Test(arguments: [([] as [String], true), (["-O"], false)])
  func scp(protocol options: [String], leases: Bool) async throws {
    try await withDropper(leases: leases) { rig, server in
      let files = try makeFiles(rig, "scp", count: 12)
      let slow = try makeFiles(rig, "slow", count: 2, bytes: 400_000)
      let target = "\(server.host):\(rig.setup.spool.path)/"
      try await Command.require(server.client("scp") + options + paths(files) + [target])
      try await Command.require(server.client("scp") + ["-l", "1200"] + options + paths(slow) + [target])
      try await check(rig, files, slow)
    }
  }

  /// Written in place, and under another name that is then renamed.
  @Test func sftp() async throws {
    try await withDropper(leases: false) { rig, server in
      let inPlace = try makeFiles(rig, "in-place", count: 12)
      let renamed = try makeFiles(rig, "renamed", count: 12)
      var batch = ["cd \"\(rig.setup.spool.path)\""]
      for path in try paths(inPlace) { batch.append("put \"\(path)\"") }
      for path in try paths(renamed) {
        let name = path.split(separator: "/").last ?? ""
        batch += [
          "put \"\(path)\" \".\(name).new\"", "chmod 660 \".\(name).new\"", "rename \".\(name).new\" \"\(name)\"",
        ]
      }
      let command = try await Command.run(
        server.client("sftp") + ["-b", "-", server.host], input: Data((batch + [""]).joined(separator: "\n").utf8))
      #expect(command.status == 0, "\(command.errors)")
      try await check(rig, inPlace, renamed)
    }
  }

  @Test func rsync() async throws {
    try await withDropper(leases: false) { rig, server in
      let files = try makeFiles(rig, "rsync", count: 25)
      let kept = rig.folder.appending(path: "kept")
      try FileManager.default.copyItem(at: files, to: kept)
      for _ in 1...2 {  // the second run finds nothing left to send
        let rsync = Products.unpacked("clients") + ["rsync"]
        try await Command.require(
          rsync + [
            "-r", "--chmod=F0660", "--remove-source-files", "-e", server.shell,
            "--rsync-path=" + rsync.joined(separator: " "), files.path + "/", "\(server.host):\(rig.setup.spool.path)/",
          ])
      }
      #expect(try paths(files) == [])
      try await check(rig, kept)
    }
  }

  @Test func waybillAddAndShell() async throws {
    try await withDropper(leases: true) { rig, _ in
      let added = try makeFiles(rig, "added", count: 5)
      let moved = try makeFiles(rig, "moved", count: 5)
      let copied = try makeFiles(rig, "copied", count: 5)
      // who may call the control socket is the operator's choice
      try await Command.require(["setfacl", "-m", "u:\(OtherUser.dropper.name):rw", rig.setup.socket])
      let add = [Products.command, "add", "--socket", rig.setup.socket, "--spool", "documents"]
      try await OtherUser.dropper.require(add + paths(added))
      let script = #"""
        spool=$1; shift
        for file; do
          case $file in
            */copied*) cp "$file" "$spool/" ;;
            *) name=${file##*/}
              cp "$file" "$spool/.$name.$$" && chmod 0660 "$spool/.$name.$$" && mv "$spool/.$name.$$" "$spool/$name" ;;
          esac || exit
        done
        """#
      try await OtherUser.dropper.require(
        ["sh", "-c", script, "_", rig.setup.spool.path] + paths(moved) + paths(copied))
      try await check(rig, added, moved, copied)
    }
  }
}
