import ChildProcesses
import Foundation
import ObjectStorage
import Settings
import Testing

@testable import Spool
@testable import waybill

/// The directories that a unit lets the daemon write to, by made-up unit files, and the commands that put the others right.
@Suite struct UnitSandboxTests {
  /// Unit files below a root, and what may be written then.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var files: [String: String] = [:]
    var configuration = "/etc/waybill/waybill.toml"
    let open: [String]
    let closed: [String]
  }

  private static let shipped = """
    # ReadWritePaths=/commented
    [Unit]
    ReadWritePaths=/not/of/a/service
    [Service]
    ProtectSystem=strict
    ReadWritePaths=-/var/spool/waybill
    StateDirectory=waybill
    ProtectHome=yes
    """
  private static let unit = "/usr/lib/systemd/system/waybill.service"
  private static let dropIns = "/etc/systemd/system/waybill.service.d"

  static let rows = [
    Row(
      testDescription: "as shipped", files: [unit: shipped],
      open: ["/var/spool/waybill", "/var/spool/waybill/a/b", "/var/lib/waybill"],
      closed: ["/srv/scans", "/var/spool/waybillx", "/commented", "/not/of/a/service", "/home/kim", "/"]),
    Row(
      testDescription: "with drop-ins",
      files: [
        unit: shipped,
        dropIns + "/spool-srv-scans.conf": "[Service]\nReadWritePaths=\"-/srv/100%% scans\" \\\n  /srv/b/\n",
        dropIns + "/home.conf": "[Service]\nProtectHome=tmpfs\nBindPaths=-/home/kim/out\n",
      ], open: ["/srv/100% scans/x", "/srv/b", "/home/kim/out"], closed: ["/srv", "/home/kim", "/srv/scans"]),
    Row(
      testDescription: "a drop-in begins anew",
      files: [unit: shipped, dropIns + "/a.conf": "[Service]\nReadWritePaths=\nReadWritePaths=/srv\n"],
      open: ["/srv/scans"], closed: ["/var/spool/waybill"]),
    Row(
      testDescription: "the more important folder counts",
      files: [
        unit: shipped, "/usr/lib/systemd/system/waybill.service.d/a.conf": "[Service]\nReadWritePaths=/srv\n",
        dropIns + "/a.conf": "[Service]\n",
      ], open: [], closed: ["/srv"]),
    Row(
      testDescription: "ReadWritePaths= shows no hidden home",
      files: [unit: shipped, dropIns + "/a.conf": "[Service]\nReadWritePaths=/home/kim\n"], open: [],
      closed: ["/home/kim"]),
    Row(
      testDescription: "nothing is protected", files: [unit: "[Service]\nExecStart=/usr/bin/waybilld\n"],
      open: ["/srv", "/home/kim"], closed: []),
    Row(
      testDescription: "an instance",
      files: [
        "/usr/lib/systemd/system/waybill@.service": shipped.replacing("waybill\n", with: "waybill-%i\n"),
        "/etc/systemd/system/waybill@second.service.d/a.conf": "[Service]\nReadWritePaths=/srv/%i\n",
      ], configuration: "/etc/waybill/second.toml",
      open: ["/srv/second", "/var/lib/waybill-second"], closed: ["/srv/first", "/var/lib/waybill"]),
  ]

  @Test(arguments: rows) func findsWritableDirectories(_ row: Row) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    for (path, text) in row.files {
      let file = URL(filePath: folder.path + path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let unit = try #require(UnitSandbox(ofConfiguration: row.configuration, root: folder.path))
    for path in row.open { #expect(unit.mayWrite(path), "\(path): \(unit)") }
    for path in row.closed { #expect(!unit.mayWrite(path), "\(path): \(unit)") }
    // Of a daemon that no unit runs nothing is known.
    #expect(UnitSandbox(ofConfiguration: "/home/kim/waybill.toml", root: folder.path) == nil)
    #expect(UnitSandbox(ofConfiguration: "/etc/waybill/third.toml", root: folder.path + "/none") == nil)
  }

  @Test func recipeCoversAllDirectories() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let unit = folder.path + Self.unit
    try FileManager.default.createDirectory(
      atPath: folder.path + "/usr/lib/systemd/system", withIntermediateDirectories: true)
    try Self.shipped.write(toFile: unit, atomically: true, encoding: .utf8)
    for key in ["a", "s"] { try "key\n".write(toFile: "\(folder.path)/\(key)", atomically: true, encoding: .utf8) }
    let toml = """
      [daemon]
      state = "/var/lib/waybill"
      [storage.main]
      endpoint = "https://s3.example.com"
      bucket = "documents"
      access_key = { file = "\(folder.path)/a" }
      secret_key = { file = "\(folder.path)/s" }
      [backend.main]
      url = "https://api.example.com"
      [[spool]]
      path = "/srv/100% scans"
      name = "scans"
      after = "archive"
      archive = "/srv/archive"
      [[spool]]
      path = "/var/spool/waybill/new"
      """
    let file = folder.path + "/waybill.toml"
    try toml.write(toFile: file, atomically: true, encoding: .utf8)
    let configuration = try Configuration.load(path: file, environment: [:])
    let sandbox = UnitSandbox(ofConfiguration: "/etc/waybill/waybill.toml", root: folder.path)
    let recipe = DirectoryRecipe(user: "waybill", group: "waybill", droppers: "waybill-drop")
    var findings: [String] = []
    let all = SpoolCheck.recipe(configuration, sandbox, recipe, isOurs: { _ in false }) {
      findings.append("\($0) \($1.words)")
    }
    #expect(
      all == [
        "install -d -o waybill -g waybill-drop -m 3770 '/srv/100% scans'",
        "setfacl -d -m u::rwx,u:waybill:rwx,g::---,o::--- '/srv/100% scans'",
        "install -d -o waybill -g waybill -m 2750 /srv/archive",
        "install -d -o waybill -g waybill-drop -m 3770 /var/spool/waybill/new",
        "setfacl -d -m u::rwx,u:waybill:rwx,g::---,o::--- /var/spool/waybill/new",
        UnitDropIn(path: "/srv/100% scans").command(for: "waybill.service"),
        UnitDropIn(path: "/srv/archive").command(for: "waybill.service"), "systemctl daemon-reload",
        "systemctl restart waybill.service",
      ])
    #expect(findings.count { $0.contains("waybill.service") } == 2, "\(findings)")
    #expect(findings.count { $0.contains("which is missing or another user's") } == 3, "\(findings)")
    #expect(SpoolCheck.recipe(configuration, nil, recipe, isOurs: { _ in true }, findings: { _, _ in }).isEmpty)
    let missing = SpoolCheck.recipe(
      configuration, sandbox, recipe, isOurs: { $0.hasPrefix("/srv") }, findings: { _, _ in })
    #expect(missing.first?.hasPrefix("install -d") == true && missing.last == "systemctl restart waybill.service")
  }
}
