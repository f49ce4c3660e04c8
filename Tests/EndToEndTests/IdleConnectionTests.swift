import ChildProcesses
import Foundation
import Testing

@testable import Harness

@Test func idleConnectionsBlockNoEndpoint() async throws {
  let port = Ports.free()
  try await withRig({ $0.daemonLines = ["metrics = \"127.0.0.1:\(port)\""] }) { rig in
    try await until("the listener") {
      (try? await HTTPAnswer.call("GET", "http://127.0.0.1:\(port)/healthz").status) == 200
    }
    for path in ["/healthz", "/metrics"] {
      #expect(try await IdleCallers.ask("127.0.0.1:\(port)", path, holding: 100) == "200 200 200\n", "\(path)")
    }
    #expect(try await IdleCallers.ask(rig.daemon.socket, "/v1/status", holding: 300) == "200 200 200\n")
    let web = try await WebPage(rig)
    defer { web.cut() }
    let place = String(web.origin.dropFirst("http://".count))
    #expect(try await IdleCallers.ask(place, "/page.css", holding: 300) == "200 200 200\n")
  }
}
