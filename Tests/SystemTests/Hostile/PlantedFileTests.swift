import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// What somebody plants in a spool, in its `.waybill`, or where a file is to be given back.
@Suite(.slot, .bounded, .needs(.testUsers, .lease))
struct PlantedFileTests {
  private static let secret = "not for the spool\n"
  private static let id = "01939f5c-7b1a-7c3d-9e4f-0123456789ab"

  private func makeSecret(_ rig: Rig) throws -> String {
    let path = rig.folder.appending(path: "secret").path
    try Data(Self.secret.utf8).write(to: URL(filePath: path))
    return path
  }

  private func expectNoSecret(_ secret: String, _ rig: Rig) async throws {
    let sum = String(try await Command.require(["sha256sum", secret]).prefix(64))
    for (key, object) in try await rig.sandbox.objects() { #expect(object.sha256.string != sum, "\(key)") }
    #expect(try String(contentsOfFile: secret, encoding: .utf8) == Self.secret)
  }

  /// Names that no claim makes, and what is no file: left where it is. What looks like a claim is taken by its own name, however
  /// that reads as a path.
  @Test func plantedClaimsAreKeptUnfollowed() async throws {
    try await withRig(starting: false, users: OtherUsers(), { $0.key = "{id}/{path}/{name}" }) { rig in
      let secret = try makeSecret(rig)
      let claims = rig.setup.spool.appending(path: ".waybill")
      let script = """
        set -e; umask 077; mkdir "$1"; chmod 0700 "$1"; cd "$1"
        id() { printf '01939f5c-7b1a-7c3d-9e4f-0123456789%02x' "$1"; }
        echo dots > "$(id 1)~.."; echo dot > "$(id 2)~."; echo escape > "$(id 3)~..%2F..%2Fetc%2Fpasswd"
        printf 'esc' > "$(id 4)~$(printf '\\033[2J').pdf"
        mkdir -p "$(id 5)/a/..b/..." "$(id 6)" "$(id 7)/a"; echo nested > "$(id 5)/a/..b/.../n.pdf"
        ln -s "$2" "$(id 8)~link.pdf"; ln -s "$3" "$(id 6)/folder"; ln -s "$2" "$(id 6)/link.pdf"; ln -s "$3" "$(id 9)"
        mkfifo "$(id 10)~pipe.pdf"; mkdir "$(id 11)~folder.pdf"; mkfifo "$(id 7)/a/pipe.pdf"
        echo x > "$(id 12)~"; echo x > "$(id 13)"; echo x > "~x"; echo x > "NOT-AN-ID~x.pdf"
        echo x > "01939f5c-7b1a-7c3d-9e4f-0123456789ag~x.pdf"; echo x > "01939f5c7b1a7c3d9e4f0123456789ab~x.pdf"
        i=0; while [ $i -lt 3000 ]; do : > "junk$i"; i=$((i + 1)); done
        """
      try await Command.require(
        OtherUser.daemon.words(["sh", "-c", script, "_", claims.path, secret, rig.folder.path]))
      try await rig.daemon.start()
      #expect(try await rig.daemon.waybill("resume", "--recovered").status == 0)
      for name in ["..", ".", "..%2F..%2Fetc%2Fpasswd", "\u{1B}[2J.pdf", "n.pdf"] {
        try await rig.daemon.job(named: name, in: "registered")
      }
      try await rig.drop("after.pdf", until: "registered")
      // A directory under such a name can only be a group that was claimed, and this one has nothing in it.
      try await rig.daemon.job(named: "folder.pdf", in: "awaiting-confirmation")
      #expect(try await rig.daemon.jobs().count == 7)
      for key in try await rig.sandbox.objects().keys {
        #expect(
          !key.split(separator: "/", omittingEmptySubsequences: false).contains { [".", "..", ""].contains($0) },
          "\(key)")
      }
      try await until("the disposal of what was taken") {
        let left = try FileManager.default.contentsOfDirectory(atPath: claims.path)
        return left.count { $0.hasPrefix("junk") } == 3000
          && !left.contains { $0.hasSuffix("~..") || $0.hasSuffix("~.") }
      }
      for kept in ["08~link.pdf", "0a~pipe.pdf", "0b~folder.pdf", "09", "0c~", "0d"] {
        #expect(unsafe access(claims.path + "/01939f5c-7b1a-7c3d-9e4f-0123456789" + kept, F_OK) == 0, "\(kept)")
      }
      try await expectNoSecret(secret, rig)
      #expect(try await rig.daemon.stop() == .exit(0))
    }
  }

  /// In a directory without the sticky bit others can move `.waybill` away and put one of their own there.
  @Test func refusesReplacedClaimsDirectory() async throws {
    try await withRig(
      faults: ["upload": ["status": 599]], users: OtherUsers(),
      { $0.spoolLines = ["scan_interval = \"1s\""] }
    ) { rig in
      let secret = try makeSecret(rig)
      let spool = rig.setup.spool.path
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      try await Command.require(["chmod", "0770", spool])
      let script = """
        set -e; cd "$1"; mv .waybill .moved; mkdir .waybill; chmod 0777 .waybill; ln -s "$2" ".waybill/$3~link.pdf"
        echo planted > ".waybill/$3~planted.pdf"
        """
      try await Command.require(OtherUser.dropper.words(["sh", "-c", script, "_", spool, secret, Self.id]))
      try await until("it to be told") { try rig.daemon.errorText.contains(".waybill belongs to user") }
      #expect(try await rig.daemon.jobs().count == 1)
      // the daemon may be quicker and make a new one in between
      let back = """
        cd "$1"; mv -T .waybill .away; until mv -T .moved .waybill; do mv -T .waybill .away.$((n += 1)); done
        """
      try await Command.require(OtherUser.dropper.words(["bash", "-c", back, "_", spool]))
      try await rig.sandbox.recover()
      try await until("the spool to be there again") {
        _ = try await rig.daemon.waybill("retry", "1")
        return try await rig.daemon.count("registered") == 1
      }
      try await rig.drop("b.pdf", until: "registered")
      try await expectNoSecret(secret, rig)
    }
  }

  /// Directories that files are given back to, with links under the name that is to be: replaced by nothing, followed nowhere.
  @Test func releaseFollowsNoLink() async throws { try await release(into: nil) }

  @Test(.needs(.mount)) func crossDeviceReleaseFollowsNoLink() async throws {
    try await withMemoryDisk(bytes: 1 << 20) { try await release(into: $0.url) }
  }

  private func release(into elsewhere: URL?) async throws {
    try await withRig(faults: ["upload": ["status": 400, "code": "KeyTooLongError"]]) { rig in
      let secret = try makeSecret(rig)
      let back = elsewhere ?? rig.folder.appending(path: "back")
      try FileManager.default.createDirectory(at: back, withIntermediateDirectories: true)
      let names = ["link.pdf", "dangling.pdf", "folder.pdf", "free.pdf"]
      for name in names { try await rig.drop(name, until: "awaiting-confirmation") }
      #expect(try await rig.daemon.waybill("cancel", "1", "2", "3", "4").status == 0)
      try FileManager.default.createSymbolicLink(atPath: back.path + "/link.pdf", withDestinationPath: secret)
      let missing = rig.folder.appending(path: "missing").path
      try FileManager.default.createSymbolicLink(atPath: back.path + "/dangling.pdf", withDestinationPath: missing)
      try FileManager.default.createDirectory(atPath: back.path + "/folder.pdf", withIntermediateDirectories: false)
      for job in try await rig.daemon.jobs() {
        // The name that a copy has on the way.
        let staged = back.path + "/.waybill-" + (job.id.string ?? "")
        try FileManager.default.createSymbolicLink(atPath: staged, withDestinationPath: secret)
      }
      for (number, name) in [(1, "link.pdf"), (2, "dangling.pdf"), (3, "folder.pdf")] {
        let refused = try await rig.daemon.waybill("release", String(number), "--to", back.path)
        #expect(refused.status == 1 && refused.errors.contains(name), "\(name): \(refused.errors)")
        let job = try await rig.daemon.job(number)
        #expect(job.state == "cancelled" && job.existingPath != nil, "\(job)")
      }
      #expect(try await rig.daemon.waybill("release", "4", "--to", back.path).status == 0)
      #expect(try String(contentsOfFile: back.path + "/free.pdf", encoding: .utf8) == "some bytes\n")
      #expect(!FileManager.default.fileExists(atPath: missing))
      #expect(try String(contentsOfFile: secret, encoding: .utf8) == Self.secret)
    }
  }
}
