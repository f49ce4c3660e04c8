import ChildProcesses
import Foundation

@testable import Harness

/// The configuration that takes the place of an old way: storage and backend of `docs/getting-started.md`, and the spool of
/// `docs/migrate.md` whose block begins with a comment that names the way.
struct MigrationPage {
  private static let path = "docs/migrate.md"

  private let configuration: String

  init(_ way: String) throws {
    let blocks = try DocsPage(Self.path).blocks.filter { block in
      block.language == "toml" && block.lines.first.map { String($0).contains(way) } == true
    }
    guard blocks.count == 1 else { throw Missing("\(Self.path) has \(blocks.count) spools for \(way)") }
    configuration = try Self.destinations() + blocks[0].text
  }

  /// Returns the sections for the storage and the backend.
  private static func destinations() throws -> String {
    let page = try DocsPage("docs/getting-started.md")
    let text = page.blocks.first { $0.file == "/etc/waybill/waybill.toml" }?.text ?? ""
    guard let end = text.firstRange(of: "[[spool]]") else { throw Missing("\(page.path) has no configuration") }
    return String(text[..<end.lowerBound])
  }

  /// The configuration with the servers and places of a rig. Times are shorter where nothing happens in them, and a failure is
  /// followed by another try at once: the page is not about that.
  func toml(_ rig: Rig) throws -> String {
    let setup = rig.setup
    let archive = rig.folder.appending(path: "archive")
    try FileManager.default.createDirectory(at: archive, withIntermediateDirectories: true)
    var text = configuration
    for (theirs, ours) in [
      ("https://s3.eu-central-1.amazonaws.com", setup.storage.endpoint),
      ("eu-central-1", setup.storage.region), ("https://api.example.com/documents", setup.backend),
      ("/etc/waybill/keys/s3-access-key", setup.accessKeyFile.path),
      ("/etc/waybill/keys/s3-secret-key", setup.secretKeyFile.path),
      ("/var/spool/waybill/archive", archive.path), ("/var/spool/waybill/outgoing", setup.spool.path),
      ("/var/spool/waybill/uploads", setup.spool.path), ("settle_unseen = \"1min\"", "settle_unseen = \"1s\""),
    ] { text = text.replacing(theirs, with: ours) }
    guard !text.contains("example.com"), !text.contains("/var/"), !text.contains("/etc/") else {
      throw Missing("\(Self.path) names what the test has nothing for: \(text)")
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

/// Sets up a rig whose daemon has the configuration that takes the place of an old way. Nothing is started.
func withMigration(_ name: String, _ body: (Rig) async throws -> Void) async throws {
  try await withRig(starting: false) { rig in
    try MigrationPage(name).toml(rig).write(to: rig.setup.config, atomically: true, encoding: .utf8)
    let check = try await Command.run([Products.command, "check", "--no-spools", "--config", rig.setup.config.path])
    guard check.status == 0 else { throw Missing("docs/migrate.md, \(name): \(check.output)\(check.errors)") }
    try await body(rig)
  }
}
