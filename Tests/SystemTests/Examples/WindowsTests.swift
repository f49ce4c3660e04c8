import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// docs/windows.md with a real smbd that has the page's configuration. Clients are smbclient, which writes as scanners do, and
/// smbprotocol, which writes as Windows does. The daemon is another user than the one who drops.
@Suite(.slot, .needs(.testUsers, .lease, .samba, .smbProtocol))
struct WindowsTests {
  private func withShare(leases: Bool = true, _ body: (Rig, WindowsShare, Files) async throws -> Void) async throws {
    try await withRig(
      starting: false, users: OtherUsers(leases: leases), { $0.spoolLines = ["scan_interval = \"1s\""] }
    ) { rig in
      let share = try await WindowsShare(for: .dropper, path: rig.setup.spool, in: rig.folder)
      defer { share.cut() }
      try await rig.daemon.start()
      try await body(rig, share, try Files(rig))
    }
  }

  /// What is on the disk of a Windows machine.
  private struct Files {
    let folder: URL
    private(set) var sums: [String: String] = [:]

    init(_ rig: Rig) throws {
      folder = rig.folder.appending(path: "pc")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Makes a file of so many bytes, and returns its path.
    mutating func make(_ name: String, _ size: Int) async throws -> String {
      let path = folder.appending(path: name).path
      try Bytes.random(size).write(to: URL(filePath: path))
      sums[name] = String(try await Command.require(["sha256sum", "--", path]).prefix(64))
      return path
    }
  }

  /// Each complete file is registered once, with its bytes, and nothing else is.
  private func expectAll(_ files: Files, _ rig: Rig) async throws {
    try await until("\(files.sums.count) registrations") {
      let counts = try await rig.daemon.status().counts
      #expect(counts["awaiting-confirmation"] == 0)
      return counts.registered.int == files.sums.count
    }
    let bodies = try rig.sandbox.registrations().map(\.body)
    #expect(bodies.count == files.sums.count)
    for body in bodies {
      #expect(files.sums[body.name.string ?? ""] == body.sha256.string, "\(body)")
    }
    try await until("the files to be gone") { try rig.filesLeft().allSatisfy { $0.hasPrefix(".in-") } }
    #expect(try await rig.daemon.jobs().count == files.sums.count)
  }

  @Test func completeFilesArriveOnce() async throws {
    try await withShare(leases: false) { rig, share, files in
      var files = files
      let words = try await share.testparm()
      #expect(words.status == 0 && words.output.contains("[scans]"), "\(words)")
      #expect(!words.errors.contains("Unknown parameter") && !words.errors.contains("Ignoring"), "\(words)")
      #expect(try await !share.run("ls .waybill/*").output.contains("lock"), "what Waybill has taken is hidden")
      // In place, and under another name first.
      let plain = try await files.make("scan 1.pdf", 300_000)
      let hidden = try await files.make("größe.pdf", 5_000)
      let part = try await files.make("part.pdf", 5_000)
      let empty = try await files.make("empty.pdf", 0)
      let large = try await files.make("large.bin", 9_000_000)
      let commands = [
        "put \"\(plain)\" \"scan 1.pdf\"", "put \"\(hidden)\" .new", "rename .new \"größe.pdf\"",
        "put \"\(part)\" part.pdf.part", "rename part.pdf.part part.pdf", "put \"\(empty)\" empty.pdf",
        "put \"\(large)\" large.bin",
      ]
      let put = try await share.run(commands.joined(separator: "; "))
      #expect(put.status == 0, "\(put)")
      // Twenty clients at once.
      var many: [ChildProcess] = []
      defer { for child in many { child.cut() } }
      for number in 1...20 {
        let path = try await files.make("at once \(number).pdf", 20_000)
        many.append(
          try ChildProcess(
            share.words + ["put \"\(path)\" \"at once \(number).pdf\""], folder: rig.folder, log: "many\(number)"))
      }
      for child in many { #expect(try await child.end() == .exit(0), "\(child.outputText)") }
      // As Windows writes: in place, and renamed from a directory of the share.
      let inPlace = [try await files.make("explorer.pdf", 400_000), try await files.make("small.txt", 10)]
      let moved = [try await files.make("robocopy.pdf", 400_000), try await files.make("robocopy 2.pdf", 1)]
      for (words, log) in [(inPlace, "in-place"), (["--rename", ".in-PC1"] + moved, "moved")] {
        let copy = try share.windows(words, in: rig.folder, log: log)
        defer { copy.cut() }
        #expect(try await copy.end() == .exit(0), "\(copy.errorText)")
      }
      try await expectAll(files, rig)
    }
  }
}
