import ChildProcesses
import Foundation

extension DaemonSetup {
  /// The lines of another spool, `second`, in a directory beside the first one's.
  func second(_ lines: String = "") -> String {
    """
    [[spool]]
    name = "second"
    path = "\(folder.appending(path: "second").path)"
    settle_unseen = "200ms"
    scan_interval = "1s"
    \(lines)
    """
  }
}

extension Daemon {
  func problems() async throws -> [String] { try await status().problems.array.compactMap(\.what.string) }
}
