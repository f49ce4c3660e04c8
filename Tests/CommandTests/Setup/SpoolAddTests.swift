import ChildProcesses
import CommandParts
import Foundation
import Settings
import Spool
import Testing

@testable import waybill

/// `waybill spool add`: the file that it writes, and its steps.
@Suite(.slot) struct SpoolAddTests {
  private static let toml = """
    [storage.main]
    endpoint = "https://s3.example.com"
    region = "r"
    bucket = "documents"
    access_key = { env = "A" }
    secret_key = { env = "B" }
    [backend.main]
    url = "https://api.example.com/documents"
    [[spool]]
    path = "/var/spool/waybill/documents"

    """

  /// A configuration in a folder of its own.
  private struct Place {
    let folder: TemporaryFolder
    var path: String { folder.file("waybill.toml") }

    init() throws {
      folder = try TemporaryFolder()
      try SpoolAddTests.toml.write(toFile: path, atomically: true, encoding: .utf8)
    }

    func add(_ words: String..., environment: [String: String] = [:]) async throws -> Command {
      try await Command.run(
        [Products.command, "spool", "add", "--print", "--config", path] + words, environment: environment)
    }
  }

  @Test func printsItsFileAndReload() async throws {
    let place = try Place()
    let command = try await place.add(
      "/srv/scans", "--set", "recursive=true", "--set", "after=archive", "--set", "archive=/srv/kept", "--set",
      "settle=5s", "--set", "max_size=1KiB")
    #expect(command.status == 0, "\(command)")
    #expect(command.output.contains("  waybill reload\n"), "\(command.output)")
    #expect(
      command.output.hasSuffix(
        """
        waybill.d/scans.toml:
        # Made by waybill spool add.
        [[spool]]
        path = "/srv/scans"
        recursive = true
        after = "archive"
        archive = "/srv/kept"
        settle = "5s"
        max_size = "1KiB"

        """), "\(command.output)")
    #expect(command.output.contains("-m 3770 /srv/scans\n") && command.output.contains("-m 2750 /srv/kept\n"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path) == ["waybill.toml"])
  }

  @Test func refusesWhatIsInUse() async throws {
    let place = try Place()
    for (words, status, text) in [
      (["/var/spool/waybill/documents"], 1, "is the spool documents already"),
      (["/srv/documents"], 1, "there is a spool documents already (/var/spool/waybill/documents)"),
      (["/var/spool/waybill/documents/x"], 78, "is inside the directory of"),
      (["/srv/scans", "--set", "setle=5s"], 78, "unknown key"),
      (["/srv/scans", "--name", "a b"], 78, "is not a valid spool name"),
      (["/srv/scans", "--name", ".x"], 64, "cannot begin with a dot"),
      (["/srv/scans", "--name", "../x"], 64, "cannot begin with a dot"),
    ] as [([String], Int32, String)] {
      let command = try await Command.run(
        [Products.command, "spool", "add", "--print", "--config", place.path] + words)
      #expect(command.status == status && command.errors.contains(text), "\(words): \(command)")
      #expect(command.output.isEmpty)
    }
  }

  @Test func needsConfigurationInFile() async throws {
    let folder = try TemporaryFolder()
    let words = [Products.command, "spool", "add", "/srv/scans", "--print", "--config", folder.file("waybill.toml")]
    let missing = try await Command.run(words)
    #expect(missing.status == 78 && missing.errors.contains("waybill init makes one"), "\(missing)")
    let variables = try await Command.run(words, environment: ["WAYBILL_SPOOL_A_PATH": "/srv/a"])
    #expect(variables.status == 1 && variables.errors.contains("comes from the environment"), "\(variables)")
  }

  @Test func closedPathNeedsDropInAndRestart() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("usr/lib/systemd/system"), withIntermediateDirectories: true)
    try "[Service]\nProtectSystem=strict\nReadWritePaths=/srv/open\n".write(
      toFile: folder.file("usr/lib/systemd/system/waybill.service"), atomically: true, encoding: .utf8)
    var place = SetupPlace(configuration: SetupPlace.usual, instance: nil)
    place.isService = true
    let sandbox = UnitSandbox(ofConfiguration: SetupPlace.usual, root: folder.path)
    func commands(_ path: String, archive: String? = nil) throws -> [String] {
      try SpoolSetup(path, archive: archive, at: place, sandbox: sandbox).commands
    }
    let recipe = DirectoryRecipe(user: "waybill", droppers: nil)
    let closed = folder.file("closed")
    let expected: [String] =
      recipe.spool(closed) + recipe.archive("/srv/open/kept")
      + [UnitDropIn(path: closed).command(for: "waybill.service"), "systemctl daemon-reload"]
    #expect(try commands(closed, archive: "/srv/open/kept") == expected)
    #expect(try commands("/srv/open/scans") == recipe.spool("/srv/open/scans"))
  }

  /// An archive that the daemon cannot write to stays, and the words have the command that opens it.
  @Test(.needs(.otherUser)) func archiveOfOthersIsRefused() throws {
    let folder = try TemporaryFolder()
    let archive = try folder.folder("kept").path
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: archive)
    var place = SetupPlace(configuration: SetupPlace.usual, instance: nil)
    place.user = "daemon"
    let failure = #expect(throws: CommandFailure.self) {
      try SpoolSetup(folder.file("spool"), archive: archive, at: place, sandbox: nil)
    }
    #expect(failure?.words?.contains("install -d -o daemon -g daemon -m 2750 \(archive)") == true)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: archive)
    #expect(throws: Never.self) {
      try SpoolSetup(folder.file("spool"), archive: archive, at: place, sandbox: nil)
    }
  }

  /// Where files stay, the daemon only reads: no directory is made or changed, and the unit need not let it write.
  @Test func keepNeedsNoRights() async throws {
    let place = try Place()
    let command = try await place.add(place.folder.path, "--name", "mine", "--set", "after=keep")
    #expect(command.status == 0 && command.output.hasPrefix("To do:\n  write "), "\(command)")
    #expect(command.output.contains("\nafter = \"keep\"\n"))
    let missing = try await place.add(place.folder.file("none"), "--set", "after=keep")
    #expect(missing.status == 1 && missing.errors.contains("there is no \(place.folder.file("none"))"), "\(missing)")
  }
}
