import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill check --probe --write`: settings that fit get into the configuration, and nothing else changes in it.
@Suite(.slot)
struct CheckWriteTests {
  private func check(_ rig: Rig, _ more: [String] = []) async throws -> Command {
    try await Command.run(
      [Products.command, "check", "--no-spools", "--probe", "--write", "--config", rig.setup.config.path] + more)
  }

  private static func mode(_ url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
  }

  @Test func fixesRefusedSettingsInPlace() async throws {
    try await withRig(
      starting: false, sandbox: ["--dialect", "r2"],
      { $0.storageLines = ["checksum = \"crc32c\"  # measured to be the fastest"] }
    ) { rig in
      let config = rig.setup.config
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: config.path)
      let link = rig.folder.appending(path: "link.toml")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: config)
      let before = try String(contentsOf: config, encoding: .utf8)
      let found = try await check(rig, ["--config", link.path])
      #expect(found.status == 0, "\(found)")
      #expect(found.output.contains("! storage.main refuses an upload in parts with checksum = \"crc32c\""), "\(found)")
      #expect(
        found.output.contains("storage.main: checksum = \"sha256\" (was \"crc32c\"), because it refuses"), "\(found)")
      let expected = before.replacing("\"crc32c\"  #", with: "\"sha256\"  #")
      #expect(try String(contentsOf: config, encoding: .utf8) == expected)
      #expect(try Self.mode(config) == 0o640)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == config.path)
      let files = try FileManager.default.contentsOfDirectory(atPath: rig.folder.path)
      #expect(!files.contains { $0.hasPrefix(".") }, "\(files)")
      try await rig.daemon.start()
      try await rig.drop("a.pdf", until: "registered")
      let inode = try FileManager.default.attributesOfItem(atPath: config.path)[.systemFileNumber] as? Int
      let again = try await check(rig)
      #expect(again.status == 0 && again.output.contains("there is nothing to change in \(config.path)"), "\(again)")
      #expect(try FileManager.default.attributesOfItem(atPath: config.path)[.systemFileNumber] as? Int == inode)
    }
  }

  @Test func failedFixLeavesConfigurationUnchanged() async throws {
    try await withRig(starting: false, sandbox: ["--dialect", "r2"]) { rig in
      let config = rig.setup.config
      let before = try String(contentsOf: config, encoding: .utf8)
      let variable = try await Command.run(
        [Products.command, "check", "--no-spools", "--probe", "--write", "--config", config.path],
        environment: ["WAYBILL_STORAGE_MAIN_CHECKSUM": "crc32c"])
      #expect(variable.status == 78, "\(variable)")
      #expect(variable.errors.contains("is set by a variable of the environment"), "\(variable)")
      #expect(try String(contentsOf: config, encoding: .utf8) == before)
      let alone = try await Command.run([Products.command, "check", "--write", "--config", config.path])
      #expect(alone.status == 64 && alone.errors.contains("--write needs --probe"), "\(alone)")
    }
  }

  @Test func reportsMissingLifecycleRule() async throws {
    try await withRig(starting: false, sandbox: ["--lifecycle", "0"]) { rig in
      let found = try await check(rig)
      #expect(
        found.output.contains("? storage.main has no lifecycle rule that ends unfinished multipart uploads"), "\(found)"
      )
      try await rig.sandbox.fail(["bucket": ["status": 403, "code": "AccessDenied"]])
      let refused = try await check(rig)
      #expect(
        refused.output.contains("? storage.main does not show its lifecycle rules (HTTP 403 AccessDenied"), "\(refused)"
      )
    }
  }
}
