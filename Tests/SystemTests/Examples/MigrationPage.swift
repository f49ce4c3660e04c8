import ChildProcesses
import Foundation

@testable import Harness

/// `docs/migrate.md`, which has a spool for each old way.
enum MigrationPage {
  /// Returns a configuration with the spool that takes the place of an old way, which the first line of its block names, and with the
  /// servers and places of a rig. Times are shorter where nothing happens in them, and a failure is followed by another try at once.
  static func toml(_ way: String, _ rig: Rig) throws -> String {
    let blocks = try DocsPage("docs/migrate.md").blocks.filter { block in
      block.language == "toml" && block.lines.first.map { String($0).contains(way) } == true
    }
    guard blocks.count == 1 else { throw Missing("docs/migrate.md has \(blocks.count) spools for \(way)") }
    let archive = rig.folder.appending(path: "archive")
    try FileManager.default.createDirectory(at: archive, withIntermediateDirectories: true)
    var setup = rig.setup
    setup.delays = Array(repeating: "200ms", count: 100)
    var text = blocks[0].text
    for (theirs, ours) in [
      ("/var/spool/waybill/archive", archive.path), ("/var/spool/waybill/outgoing", setup.spool.path),
      ("/var/spool/waybill/uploads", setup.spool.path), ("settle_unseen = \"1min\"", "settle_unseen = \"1s\""),
    ] { text = text.replacing(theirs, with: ours) }
    guard !text.contains("/var/") else {
      throw Missing("docs/migrate.md names what the test has nothing for: \(text)")
    }
    if !text.contains("settle_unseen") { text += "settle_unseen = \"1s\"\n" }
    text += "scan_interval = \"1s\"\n"
    return setup.toml.components(separatedBy: "[[spool]]")[0] + text
  }
}

/// Sets up a rig whose daemon has the configuration that takes the place of an old way. Nothing is started.
func withMigration(_ way: String, _ body: (Rig) async throws -> Void) async throws {
  try await withRig(starting: false) { rig in
    try MigrationPage.toml(way, rig).write(to: rig.setup.config, atomically: true, encoding: .utf8)
    let check = try await Command.run([Products.command, "check", "--no-spools", "--config", rig.setup.config.path])
    guard check.status == 0 else { throw Missing("docs/migrate.md, \(way): \(check.output)\(check.errors)") }
    try await body(rig)
  }
}
