import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The configurations of `docs/migrate.md`: each sends a file that was there before, and a later one, once, though the storage fails at first.
@Suite(.slot)
struct MigrationPageTests {
  @Test(arguments: ["inotifywait", "rclone", "incron", "lsyncd", "mc mirror"])
  func pageConfigurationSendsEachFileOnce(name: String) async throws {
    try await withMigration(name) { rig in
      try rig.drop("early.pdf")
      try await rig.sandbox.fail(["upload": ["statuses": [500, 500, 200]]])
      try await rig.daemon.start()
      try rig.drop("later.pdf")
      try await until("2 registrations") { try await rig.daemon.count("registered") == 2 }
      try await until("the files to be gone") { try rig.filesLeft().isEmpty }
      #expect(try rig.sandbox.registrations().compactMap(\.body.name.string).sorted() == ["early.pdf", "later.pdf"])
      #expect(try await rig.sandbox.objects().count == 2)
    }
  }
}
