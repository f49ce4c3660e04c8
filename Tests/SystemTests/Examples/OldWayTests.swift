import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The pages of `docs/migrate` say what the old way loses, and show a script with what it prints.
@Suite(.slot, .needs(.olderWays, .otherUser))
struct OldWayTests {
  /// A script has pauses, as it is for a reader with a quiet machine. On a busy one they may be too short, so it may be run again.
  @Test(arguments: ["inotifywait", "rclone", "incron", "lsyncd"])
  func oldWayLosesWhatPageSays(name: String) async throws {
    let (script, prints) = try MigrationPage(name).oldWay()
    var last = ""
    do {
      try await until("docs/migrate/\(name).md to be right") {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try await Command.run(
          Products.unpacked("migrate") + ["bash", "-c", script], environment: ["TMPDIR": folder.path])
        last = result.output + result.errors
        return result.output == prints
      }
    } catch let error as TimedOut {
      Issue.record("\(error): it prints\n\(last)")
    }
  }
}
