import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill check` looks at the spools' directories, and warns of what is hardly meant.
@Suite(.slot)
struct CheckTests {
  private func check(_ rig: Rig, _ more: String...) async throws -> Command {
    try await Command.run([Products.command, "check", "--config", rig.setup.config.path] + more)
  }

  @Test func namesMissingSpoolAndItsCommands() async throws {
    try await withRig(starting: false) { rig in
      let found = try await check(rig)
      #expect(found.status == 0 && !found.output.contains("spool.documents"), "\(found)")
      try FileManager.default.removeItem(at: rig.setup.spool)
      let missing = try await check(rig)
      #expect(missing.status == 78, "\(missing)")
      let words = missing.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains("! spool.documents needs \(rig.setup.spool.path), which is missing"))
      #expect(words.contains("as root, before waybill reload: install -d -o "), "\(words)")
      #expect(!(try await check(rig, "--no-spools").output.contains("spool.documents")))
    }
  }

  @Test func warnsOfUnlikelySettings() async throws {
    try await withRig(starting: false) { rig in
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: rig.folder.path)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: rig.setup.secretKeyFile.path)
      let toml = rig.setup.toml
        .replacing("url = \"\(rig.setup.backend)\"", with: "url = \"http://api.example.com/documents\"")
      let notices = """

        [webhook.ops]
        url = "http://chat.example.com:8080/hooks/pssst"
        token = { file = "\(rig.setup.secretKeyFile.path)" }
        """
      try (toml + notices).write(to: rig.setup.config, atomically: true, encoding: .utf8)
      let found = try await check(rig)
      #expect(found.status == 0, "\(found)")
      #expect(!found.output.contains("pssst"), "who knows the path may speak in the daemon's name: \(found.output)")
      for words in [
        "? webhook.ops has url = \"http://chat.example.com/…\": without https://",
        "? webhook.ops has a secret that every user of this host can read: chmod o-r \(rig.setup.secretKeyFile.path)",
        "? storage.main has a secret that every user of this host can read: chmod o-r \(rig.setup.secretKeyFile.path)",
        "? backend.main has url = \"http://api.example.com/documents\": without https://",
      ] {
        #expect(found.output.contains(words), "\(words) in \(found.output)")
      }
      #expect(!found.output.contains("endpoint ="), "it is this host: \(found.output)")
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: rig.folder.path)
      #expect(!(try await check(rig).output.contains("has a secret")), "nobody gets at it there")
    }
  }

  @Test func namesUnfitSigningSecret() async throws {
    try await withRig(starting: false) { rig in
      let secret = rig.folder.appending(path: "signing")
      try "no-base64\n".write(to: secret, atomically: true, encoding: .utf8)
      let notices = "\n[webhook.ops]\nurl = \"http://127.0.0.1:9\"\nsigning_secret = { file = \"\(secret.path)\" }\n"
      try (rig.setup.toml + notices).write(to: rig.setup.config, atomically: true, encoding: .utf8)
      let found = try await check(rig)
      #expect(found.status == 78 && found.output.contains("! webhook.ops has a signing_secret"), "\(found)")
    }
  }

  @Test func reportForOthersHasNoNames() async throws {
    try await withRig(starting: false) { rig in
      let report = try await check(rig, "--probe", "--report")
      #expect(report.status == 0, "\(report)")
      let row =
        #"| SERVICE | not AWS; `us-east-1` | `addressing = "path"`, `checksum = "sha256"`, `overwrite = false` |"#
      #expect(report.output.hasPrefix(row), "\(report)")
      #expect(report.output.contains("\n- ` ` does not replace objects\n"), "\(report)")
      let storage = rig.setup.storage
      for name in [storage.bucket, storage.accessKey, storage.secretKey, "127.0.0.1", "main", rig.folder.path] {
        #expect(!report.output.contains(name), "\(name) in \(report)")
      }
      #expect(try await check(rig, "--report").status == 64)
    }
  }

  /// One cause is one line: nobody hears of a server that cannot be reached once for each thing that was asked of it.
  @Test func unreachableServerIsOneLine() async throws {
    try await withRig(starting: false, { $0.backendLines = ["health = \"http://127.0.0.1:1/well\""] }) { rig in
      let toml = rig.setup.toml.replacing(
        "url = \"\(rig.setup.backend)\"", with: "url = \"http://127.0.0.1:1/documents\""
      )
      .replacing(/endpoint = "[^"]*"/, with: "endpoint = \"http://127.0.0.1:1\"")
      try toml.write(to: rig.setup.config, atomically: true, encoding: .utf8)
      let found = try await check(rig, "--probe")
      let lines = found.output.split(separator: "\n").filter { $0.contains("127.0.0.1:1") }
      #expect(lines.count == 2 && found.status == 78, "\(found)")
      #expect(lines.allSatisfy { $0.hasPrefix("! ") && $0.contains("no connection to 127.0.0.1:1") }, "\(found)")
    }
  }
}
