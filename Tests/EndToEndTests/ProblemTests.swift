import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// What keeps the daemon from working is said first, wherever one looks, for as long as it lasts.
@Suite(.slot)
struct ProblemTests {
  /// A key that no job has needed since.
  @Test func reportsUnreadableKeyBeforeUse() async throws {
    try await withRig { rig in
      try await rig.expectOver()
      let key = rig.setup.secretKeyFile
      try FileManager.default.moveItem(at: key, to: rig.folder.appending(path: "away"))
      try await rig.expectTold(
        "cannot read \(key.path): No such file", remedy: "put the value into this file", area: "credentials")
      try FileManager.default.moveItem(at: rig.folder.appending(path: "away"), to: key)
      try await rig.expectOver()
    }
  }

  @Test func reportsMissingSpoolUntilBack() async throws {
    try await withRig { rig in
      let away = rig.folder.appending(path: "away")
      try FileManager.default.moveItem(at: rig.setup.spool, to: away)
      try await rig.expectTold("was removed, replaced or unmounted", remedy: "make or mount it again", area: "spool")
      try FileManager.default.moveItem(at: away, to: rig.setup.spool)
      try await rig.expectOver()
    }
  }
}
