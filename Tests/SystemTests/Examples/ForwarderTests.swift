import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// docs/notify.md with its forwarder, and docs/migrate.md.
@Suite(.slot)
struct ForwarderTests {
  private static let folder = Products.source("docs/examples/notify")

  /// The check beside it plays Slack, Teams, Telegram, ntfy and a mail server, and asks a real broker of MQTT.
  @Test(.needs(.mosquitto)) func checkFindsForwarderRight() async throws {
    let result = try await Command.run(
      Products.unpacked("mosquitto") + ["python3", Self.folder + "/check"],
      environment: ["PYTHONDONTWRITEBYTECODE": "1"])
    #expect(result.status == 0, "\(result)")
    #expect(
      result.output.split(separator: "\n")
        == ["slack", "teams", "telegram", "ntfy", "mail", "mqtt"].map { "\($0): right" },
      "\(result)")
  }

  /// All sections that the page has people type are valid as they stand; so are the spools for each old way.
  @Test(arguments: ["docs/notify.md", "docs/migrate.md"]) func sectionsAreValid(page: String) async throws {
    let blocks = try DocsPage(page).blocks.filter { $0.language == "toml" }
    #expect(blocks.count >= 3)
    try await withRig(starting: false) { rig in
      for block in blocks {
        var setup = rig.setup
        setup.furtherSpools = block.text
        try setup.write()
        let check = try await Command.run([
          Products.command, "check", "--no-keys", "--no-spools", "--config", setup.config.path,
        ])
        #expect(check.status == 0, "\(page):\(block.line): \(check)")
      }
    }
  }
}
