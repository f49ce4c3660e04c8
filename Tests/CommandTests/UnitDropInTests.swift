import ChildProcesses
import CommandParts
import Foundation
import Testing

@testable import waybill

@Suite(.slot) struct UnitDropInTests {
  @Test(arguments: [
    ("/srv/scans", "RequiresMountsFor=/srv/scans", "ReadWritePaths=-/srv/scans"),
    ("/srv/100% scans", "RequiresMountsFor=\"/srv/100%% scans\"", "ReadWritePaths=\"-/srv/100%% scans\""),
    ("/home/kim/out", "RequiresMountsFor=/home/kim/out", "ProtectHome=tmpfs\nBindPaths=-/home/kim/out"),
    ("/var/tmp/out", "RequiresMountsFor=/var/tmp/out", "BindPaths=-/var/tmp/out"),
    ("/homes/out", "RequiresMountsFor=/homes/out", "ReadWritePaths=-/homes/out"),
  ])
  func dropInGrantsSpoolAccess(path: String, mounts: String, access: String) {
    #expect(UnitDropIn(path: path).text == "[Unit]\n\(mounts)\n[Service]\n\(access)\n")
  }

  /// A file that somebody has edited stays as it is, and what to do about it is said.
  @Test func editedDropInStays() throws {
    let folder = try TemporaryFolder()
    let dropIn = UnitDropIn(path: "/srv/scans")
    let setup = dropIn.file(for: "waybill.service", in: folder.path)
    let file = folder.file("waybill.service.d/spool-srv-scans.conf")
    try setup.write()
    #expect(try String(contentsOfFile: file, encoding: .utf8) == dropIn.text)
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o644)
    try setup.write()
    let edited = dropIn.text + "Nice=5\n"
    try edited.write(toFile: file, atomically: true, encoding: .utf8)
    let failure = #expect(throws: CommandFailure.self) { try setup.write() }
    #expect(failure?.words?.contains("is there with other bytes, and stays") == true)
    #expect(failure?.words?.hasSuffix("[Service], ReadWritePaths=-/srv/scans") == true)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == edited)
  }

  @Test(arguments: ["scans", "/", "/srv/../etc", "/srv//a", "/srv/a/", "/srv/a\nb", "/srv/a:b", "/srv/\"a\""])
  func refusesUnsupportedPaths(path: String) async throws {
    let command = try await Command.run([Products.command, "spool", "add", path, "--print"])
    #expect(command.status == 64 && command.output.isEmpty, "\(command)")
  }
}
