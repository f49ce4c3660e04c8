import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Whoever opens connections to the fleet's page and says nothing keeps nobody else out.
@Suite(.slot) struct FleetIdleTests {
  @Test(.needs(.postgreSQL)) func idleConnectionsDoNotBlockPage() async throws {
    try await FleetPageGuardTests.withHost { folder, server in
      for isSocket in [false, true] {
        let page = try await FleetPage(in: folder, database: server.database("anna"), lines: [], socket: isSocket)
        defer { page.cut() }
        let place = isSocket ? page.origin : String(page.origin.dropFirst("http://".count))
        for path in ["/healthz", "/"] {
          #expect(try await IdleCallers.ask(place, path, holding: 300) == "200 200 200\n", "\(path)")
        }
      }
    }
  }
}
