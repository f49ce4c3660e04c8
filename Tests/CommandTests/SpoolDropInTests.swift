import ChildProcesses
import Testing

/// The drop-ins that `waybill spool-dropin` makes.
@Suite(.slot) struct SpoolDropInTests {
  @Test(arguments: [
    ("/srv/scans", "RequiresMountsFor=/srv/scans", "ReadWritePaths=-/srv/scans"),
    ("/srv/100% scans", "RequiresMountsFor=\"/srv/100%% scans\"", "ReadWritePaths=\"-/srv/100%% scans\""),
    ("/home/kim/out", "RequiresMountsFor=/home/kim/out", "ProtectHome=tmpfs\nBindPaths=-/home/kim/out"),
    ("/homes/out", "RequiresMountsFor=/homes/out", "ReadWritePaths=-/homes/out"),
  ])
  func dropInGrantsSpoolAccess(path: String, mounts: String, access: String) async throws {
    let command = try await Command.run([Products.command, "spool-dropin", path, "--print"])
    #expect(command.status == 0)
    #expect(command.output.hasSuffix("[Unit]\n\(mounts)\n\n[Service]\n\(access)\n"), "\(command.output)")
  }

  @Test(arguments: ["scans", "/", "/srv/../etc", "/srv//a", "/srv/a/", "/srv/a\nb", "/srv/a:b", "/srv/\"a\""])
  func refusesUnsupportedPaths(path: String) async throws {
    let command = try await Command.run([Products.command, "spool-dropin", path, "--print"])
    #expect(command.status == 64 && command.output.isEmpty, "\(command)")
  }
}
