import ArgumentParser
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

  @Test func spoolCommandsNeedAnAbsolutePathAndAnotherName() throws {
    _ = try SpoolListCommand.parse(["--config", "/etc/waybill.toml"])
    for words in [["--config", "waybill.toml"], ["--config", ""], ["--config", "/a.toml", "--instance", "b"]] {
      #expect(throws: (any Error).self) { try SpoolListCommand.parse(words) }
    }
    _ = try SpoolRenameCommand.parse(["scans", "papers"])
    #expect(throws: (any Error).self) { try SpoolRenameCommand.parse(["scans", "scans"]) }
  }

  @Test func printsItsFileAndReload() async throws {
    let place = try Place()
    let command = try await place.add(
      "/srv/scans", "--set", "recursive=true", "--set", "after=archive", "--set", "archive=/srv/kept", "--set",
      "settle=5s", "--set", "max_size=1000", "--set", "key={spool}/{id}", "--set", "match=[a-z]+", "--set",
      "ignore=[\"*.tmp\"]", "--set", "priority=-5")
    #expect(command.status == 0, "\(command)")
    #expect(command.output.contains("  waybill reload\n"), "\(command.output)")
    #expect(
      command.output.contains(
        """
        waybill.d/scans.toml:
        # Made by waybill spool add.
        [[spool]]
        path = "/srv/scans"
        recursive = true
        after = "archive"
        archive = "/srv/kept"
        settle = "5s"
        max_size = "1000"
        key = "{spool}/{id}"
        match = "[a-z]+"
        ignore = ["*.tmp"]
        priority = -5
        Then, as root:
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
  }

  @Test func listsConfiguredSpoolsWithoutDaemon() async throws {
    let place = try Place()
    try FileManager.default.createDirectory(atPath: place.folder.file("waybill.d"), withIntermediateDirectories: false)
    try "# Made by waybill spool add.\n[[spool]]\npath = \"/srv/scans\"\n".write(
      toFile: place.folder.file("waybill.d/scans.toml"), atomically: true, encoding: .utf8)
    let list = try await Command.run(
      [Products.command, "spool", "list", "--config", place.path, "--socket", place.folder.file("none")])
    #expect(list.status == 0, "\(list)")
    let rows = list.output.split(separator: "\n").dropFirst().map { $0.split(separator: " ").map(String.init) }
    #expect(
      rows == [
        ["documents", "/var/spool/waybill/documents", "main", "main", "no", "daemon", "-", "-"],
        ["scans", "/srv/scans", "main", "main", "no", "daemon", "-", "-"],
      ], "\(list)")
  }

  @Test func pathOutsideNeedsDropIn() throws {
    let folder = try TemporaryFolder()
    let place = SetupPlace(configuration: SetupPlace.usual, instance: nil, isSystemd: true)
    let recipe = DirectoryRecipe(user: "waybill", droppers: nil)
    let spool = SpoolSetup(
      path: folder.file("scans"), archive: "/var/spool/waybill/kept", group: nil, place: place)
    #expect(spool.dropIns.map(\.bytes) == [Array(UnitDropIn(path: spool.path).text.utf8)])
    #expect(
      spool.commands
        == recipe.spool(spool.path) + recipe.archive("/var/spool/waybill/kept") + ["systemctl daemon-reload"])
    let usual = SpoolSetup(path: SpoolSetup.usual, group: nil, place: place)
    #expect(usual.dropIns.isEmpty && usual.commands == recipe.spool(SpoolSetup.usual))
    let bare = SpoolSetup(
      path: spool.path, group: nil, place: SetupPlace(configuration: SetupPlace.usual, instance: nil, isSystemd: false))
    #expect(bare.dropIns.isEmpty, "no unit, no drop-in")
  }

  @Test(arguments: [("/srv/扫描", "spool"), ("/srv/扫描2", "2"), ("/srv/a b", "a-b"), ("/srv/-x", "x")])
  func nameOfPathBeginsLikeNoOption(_ path: String, _ name: String) {
    #expect(TOMLText.spoolName(of: path) == name)
  }

  /// Files that are there will be sent, which a person should know before.
  @Test func tellsOfFilesAndOwner() throws {
    let folder = try TemporaryFolder()
    let place = SetupPlace(configuration: SetupPlace.usual, instance: nil, isSystemd: false)
    for name in ["a.pdf", "b.pdf", ".hidden"] { try folder.write(name, Array("text".utf8)) }
    var spool = SpoolSetup(path: folder.path, archive: "/srv/kept", group: "scanners", place: place)
    #expect(spool.remarks.last == "2 files are there. They will be sent and then moved to /srv/kept.")
    spool.archive = nil
    #expect(spool.remarks.last?.hasSuffix("and then removed.") == true)
    spool.keepsFiles = true
    #expect(spool.remarks == ["2 files are there. They will be sent, and stay."])
    #expect(SpoolSetup(path: folder.file("none"), group: nil, place: place).remarks.isEmpty)
  }

  /// Where files stay, the daemon only reads: no directory has to be made or changed, and the unit need not let it write.
  @Test func keepNeedsNoRights() async throws {
    let place = try Place()
    let command = try await place.add(place.folder.path, "--name", "mine", "--set", "after=keep")
    #expect(command.status == 0 && command.output.contains("\nafter = \"keep\"\n"), "\(command)")
    #expect(command.output.hasSuffix("Then, as root:\n  waybill reload\n"), "\(command)")
  }
}
