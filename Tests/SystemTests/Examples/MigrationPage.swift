import ChildProcesses
import Foundation

@testable import Harness

/// A page of `docs/migrate`, with the configuration that takes the old way's place.
struct MigrationPage {
  private let page: DocsPage

  init(_ name: String) throws { page = try DocsPage("docs/migrate/\(name).md") }

  /// The page's configuration with the servers and places of a rig. Times are shorter where nothing happens in them, and a failure is
  /// followed by another try at once: none of the pages is about that.
  func toml(_ rig: Rig) throws -> String {
    let blocks = page.blocks.filter { $0.language == "toml" }
    guard blocks.count == 1 else { throw Missing("\(page.path) has \(blocks.count) configurations") }
    let setup = rig.setup
    let archive = rig.folder.appending(path: "archive")
    try FileManager.default.createDirectory(at: archive, withIntermediateDirectories: true)
    var text = blocks[0].text
    for (theirs, ours) in [
      ("https://s3.eu-central-1.amazonaws.com", setup.storage.endpoint),
      ("https://minio.example.com", setup.storage.endpoint),
      ("eu-central-1", setup.storage.region), ("https://api.example.com/documents", setup.backend),
      ("/etc/waybill/keys/s3-access-key", setup.accessKeyFile.path),
      ("/etc/waybill/keys/s3-secret-key", setup.secretKeyFile.path),
      ("/var/spool/waybill/archive", archive.path), ("/var/spool/waybill/outgoing", setup.spool.path),
      ("/var/spool/waybill/uploads", setup.spool.path), ("settle_unseen = \"1min\"", "settle_unseen = \"1s\""),
    ] { text = text.replacing(theirs, with: ours) }
    guard !text.contains("example.com"), !text.contains("/var/"), !text.contains("/etc/") else {
      throw Missing("\(page.path) names what the test has nothing for: \(text)")
    }
    if !text.contains("settle_unseen") { text += "settle_unseen = \"1s\"\n" }
    text += "scan_interval = \"1s\"\n"
    let delays = Array(repeating: "\"200ms\"", count: 100).joined(separator: ", ")
    return """
      [daemon]
      state = "\(setup.state.path)"
      control = "\(setup.socket)"

      [retry]
      delays = [\(delays)]

      \(text)
      """
  }
}

/// Sets up a rig whose daemon has the configuration of a page. Nothing is started.
func withMigration(_ name: String, _ body: (Rig) async throws -> Void) async throws {
  try await withRig(starting: false) { rig in
    try MigrationPage(name).toml(rig).write(to: rig.setup.config, atomically: true, encoding: .utf8)
    let check = try await Command.run([Products.command, "check", "--no-spools", "--config", rig.setup.config.path])
    guard check.status == 0 else { throw Missing("docs/migrate/\(name).md: \(check.output)\(check.errors)") }
    try await body(rig)
  }
}
