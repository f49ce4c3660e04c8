import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// docs/notify.md and its forwarder.
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

  /// From the daemon to what Slack gets, with the page's section. While the address is wrong nothing is given up; the status says so.
  @Test func noticesComeToSlackOnceAddressIsRight() async throws {
    try await withRig(starting: false) { rig in
      let slack = try await NoticeReceiver(in: rig.folder)
      defer { slack.cut() }
      for (name, text) in [("hook-token", "secret\n"), ("slack-url", slack.url + "/services/T/B/x\n")] {
        let file = rig.folder.appending(path: name).path
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
      }
      let token = rig.folder.appending(path: "hook-token").path
      let forwarder = try ChildProcess(
        [
          try await Products.python.value, "-u", Self.folder + "/forward.py", "slack",
          "@" + rig.folder.appending(path: "slack-url").path, "--token-file", token, "--port", "0",
        ], environment: ["no_proxy": "*", "PYTHONDONTWRITEBYTECODE": "1"], folder: rig.folder, log: "forwarder")
      defer { forwarder.cut() }
      let url = try await forwarder.prints("\n").trimmingCharacters(in: .newlines)
        .replacing("listening on ", with: "")
      let page = try DocsPage("docs/notify.md")
      let section = try #require(page.blocks.first { $0.language == "toml" && $0.text.contains("[webhook.chat]") })
      var setup = rig.setup
      setup.furtherSpools = section.text.replacing("http://127.0.0.1:8090/", with: url)
        .replacing("/etc/waybill/keys/hook-token", with: token)
      try #require(setup.furtherSpools.contains(token) && setup.furtherSpools.contains(url))
      try setup.write()

      // The channel's webhook is gone.
      try slack.answers("410")
      try await rig.daemon.start()
      try await rig.sandbox.fail(["register": ["status": 422]])
      try await rig.drop("<!channel> a&b.pdf", until: "awaiting-confirmation")
      let problem = try await until("a problem") { try await rig.daemon.status().problems.array.first }
      #expect(problem.what.string?.contains("fail: it answered HTTP 502") == true, "\(problem)")
      try slack.answers("200")
      let request = try await slack.got("/services/T/B/x") { $0.answer == "200" }
      let text = try #require(try JSONValue(parsing: request.body.string ?? "").text.string)
      #expect(text.hasPrefix("*") && text.contains("Registration of &lt;!channel&gt; a&amp;b.pdf failed"), "\(text)")
      #expect(text.contains("(waybill confirm 1, or waybill cancel 1)"), "\(text)")
      try await until("no problem") { try await rig.daemon.status().problems.array.isEmpty }
    }
  }

  /// All sections that the page has people type are valid as they stand.
  @Test func sectionsAreValid() async throws {
    let blocks = try DocsPage("docs/notify.md").blocks.filter { $0.language == "toml" }
    #expect(blocks.count >= 3)
    try await withRig(starting: false) { rig in
      for block in blocks {
        var setup = rig.setup
        setup.furtherSpools = block.text
        try setup.write()
        let check = try await Command.run([
          Products.command, "check", "--no-keys", "--no-spools", "--config", setup.config.path,
        ])
        #expect(check.status == 0, "docs/notify.md:\(block.line): \(check)")
      }
    }
  }
}
