import ChildProcesses
import Foundation

enum OwnUser {
  /// The name, or the number where the system knows no name for it, as in a container: so the daemon calls that user too.
  static var name: String {
    get async throws {
      // It prints the number then, and fails.
      let name = try await Command.run(["id", "-un"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !name.isEmpty else { throw Missing("id -un prints nothing") }
      return name
    }
  }
}
