import ChildProcesses
import Foundation
import Testing

/// `waybill init` and `waybill spool add` as programs, without changing anything.
@Suite(.slot) struct InitCommandTests {
  private func run(_ words: String..., environment: [String: String] = [:]) async throws -> Command {
    try await Command.run([Products.command] + words, environment: ["HOME": "/nonexistent"].merging(environment) { $1 })
  }

  @Test(.needs(.otherUser)) func needsRoot() async throws {
    for words in [["init", "--yes"], ["spool", "add", "/srv/scans"]] {
      let command = try await Command.run(
        ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", Products.command] + words)
      #expect(command.status == 77 && command.errors.hasPrefix("waybill: run it as root: sudo waybill "), "\(command)")
    }
  }

  @Test func saysAllThatIsMissingWithYes() async throws {
    let folder = try TemporaryFolder()
    let config = folder.file("waybill.toml")
    let command = try await run("init", "--print", "--yes", "--config", config)
    #expect(command.status == 64, "\(command)")
    #expect(command.errors == "waybill: missing: --endpoint, --bucket, --keys, --backend\n", "\(command.errors)")
    let unasked = try await run("init", "--print", "--config", config)
    #expect(unasked.status == 64 && unasked.errors == command.errors, "it asks only at a terminal: \(unasked)")
    let keys = try await run(
      "init", "--print", "--yes", "--config", config, "--keys", "env",
      environment: ["AWS_SECRET_ACCESS_KEY": "hidden"])
    #expect(
      keys.status == 64 && keys.errors.contains("--keys env needs AWS_ACCESS_KEY_ID")
        && !keys.errors.contains("hidden"),
      "\(keys)")
  }

  @Test func printChangesNothing() async throws {
    let folder = try TemporaryFolder()
    let config = folder.file("waybill.toml")
    let command = try await run(
      "init", "--print", "--config", config, "--endpoint", "https://s3.eu-central-1.amazonaws.com", "--region",
      "eu-central-1", "--bucket", "documents", "--keys", "env",
      "--backend", "https://api.example.com/documents", "--spool", folder.file("spool"),
      environment: ["AWS_ACCESS_KEY_ID": "AKIAXYZ", "AWS_SECRET_ACCESS_KEY": "hidden"])
    #expect(command.status == 0 && command.errors.isEmpty, "\(command)")
    #expect(command.output.contains("\n[storage.main]\nendpoint   = \"https://s3.eu-central-1.amazonaws.com\"\n"))
    #expect(!command.output.contains("hidden"))
    #expect(command.output.hasPrefix("To write:\n  \(folder.path)/keys/s3-access-key\n"), "\(command.output)")
    #expect(command.output.contains("\nThen, as root:\n  install -d "), "\(command.output)")
    #expect(command.output.contains("\n  waybilld --config \(config)\n"), "\(command.output)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  /// Keys that end within hours are no keys of a service.
  @Test func refusesTemporaryKeys() async throws {
    let refused = try await run(
      "init", "--print", "--yes", "--keys", "env", "--config", try TemporaryFolder().file("waybill.toml"),
      environment: [
        "AWS_ACCESS_KEY_ID": "ASIAXYZ", "AWS_SECRET_ACCESS_KEY": "hidden", "AWS_SESSION_TOKEN": "hidden",
      ])
    #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")
    #expect(refused.errors.contains("end within hours") && !refused.errors.contains("hidden"), "\(refused.errors)")
  }

  @Test(arguments: [["--keys", "/etc/passwd,/nonexistent"], ["--backend-token-file", "/nonexistent"]])
  func fileThatIsMissingIsNamed(_ words: [String]) async throws {
    let config = try TemporaryFolder().file("waybill.toml")
    let refused = try await Command.run([Products.command, "init", "--print", "--yes", "--config", config] + words)
    #expect(refused.status == 64 && refused.errors.contains("/nonexistent cannot be read: "), "\(refused)")
  }

  @Test(arguments: ["waybill.toml", "waybill.d/scans.toml"]) func neverOverwrites(_ name: String) async throws {
    let folder = try TemporaryFolder()
    let file = folder.file(name)
    try FileManager.default.createDirectory(
      at: URL(filePath: file).deletingLastPathComponent(), withIntermediateDirectories: true)
    try "# mine\n".write(toFile: file, atomically: true, encoding: .utf8)
    let command = try await run("init", "--print", "--yes", "--config", folder.file("waybill.toml"))
    #expect(command.status == 1 && command.errors.contains("\(file) is there, and stays."), "\(command)")
    #expect(command.errors.contains("waybill spool add PATH") && command.output.isEmpty)
  }

  @Test func refusesImpossibleOptions() async throws {
    for words in [
      ["init", "--endpoint", "aws"], ["init", "--spool", "scans"], ["init", "--spool", "/srv/a:b"],
      ["init", "--backend", "api"], ["init", "--keys", "a,b"], ["init", "--instance", "fleet"],
      ["init", "--config", "/a", "--instance", "b"], ["spool", "add", "scans"],
      ["spool", "add", "/a", "--set", "settle"],
    ] {
      let command = try await Command.run([Products.command] + words)
      #expect(command.status == 64 && command.output.isEmpty, "\(words): \(command)")
    }
  }
}
