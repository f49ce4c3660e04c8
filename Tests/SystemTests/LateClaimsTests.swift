import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Claims that the daemon cannot read when it begins with their spool.
@Suite(.slot)
struct LateClaimsTests {
  /// Claims that cannot be read: root put something into `.waybill` that the daemon may not enter.
  @Test(.needs(.testUsers), arguments: [false, true])
  func unreadableClaimsAreAdoptedLater(atAReload: Bool) async throws {
    let users = try await OtherUsers()
    try await withRig(starting: false, users: users) { rig in
      let second = rig.folder.appending(path: "second")
      let claims = second.appending(path: ".waybill")
      let nest = claims.appending(path: "01939f5c-7b1a-7c3d-9e4f-0123456789ab")
      let inner = nest.appending(path: "inner")
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
      try Data("nested\n".utf8).write(to: inner.appending(path: "nested.pdf"))
      try await users.openSpool(second)
      try await Command.require(["chown", "-R", users.daemon.name, claims.path])
      try await Command.require(["chmod", "0700", claims.path])
      try await Command.require(["chown", "root", nest.path])
      try await Command.require(["chmod", "0700", nest.path])
      var setup = rig.setup
      setup.furtherSpools = setup.second()
      try await rig.daemon.start()
      if atAReload {
        try setup.toml.write(to: setup.config, atomically: true, encoding: .utf8)
        #expect(try await rig.daemon.waybill("reload").status == 0)
      } else {
        _ = try await rig.daemon.stop()
        try setup.toml.write(to: setup.config, atomically: true, encoding: .utf8)
        try await rig.daemon.start()
      }
      try await until("it to be told") {
        try await rig.daemon.problems().contains { $0.contains("the files claimed already cannot be read") }
      }
      try await rig.drop("other.pdf", until: "registered")
      try await Command.require(["chown", users.daemon.name, nest.path])
      try await rig.daemon.job(named: "nested.pdf", in: "registered")
      try await until("nothing to be told") { try await rig.daemon.problems().isEmpty }
      #expect(try await rig.daemon.stop() == .exit(0))
    }
  }
}
