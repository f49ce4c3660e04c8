import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What README and the manual have typed works, each page from its top to its end on a machine of its own.
@Suite(.slot, .needs(.systemd, .debhelper))
struct DocsTests {
  private static let first = "docs/getting-started.md"

  /// Those that have something to type. What is a translation has the same blocks, which ``DocsFormTests`` sees to.
  private static func pages() throws -> [DocsPage] {
    try DocsPage.all().filter { page in
      page.path != "README.zh-CN.md" && page.blocks.contains { $0.isTyped && $0.reasonNotToRun == nil }
    }
  }

  @Test(arguments: try pages())
  func documentedCommandsWork(page: DocsPage) async throws {
    let folder = try TemporaryFolder()
    let sandbox = try await Sandbox(in: folder.url)
    try await withBareMachine { machine in
      let reader = DocsReader(machine: machine, sandbox: sandbox)
      try await reader.sitDown(at: page, installed: page.path != Self.first)
      for block in page.blocks { try await reader.follow(block, of: page) }
    }
  }
}
