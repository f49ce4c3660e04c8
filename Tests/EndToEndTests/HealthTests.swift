import ChildProcesses
import Foundation
import Seams
import Testing

@testable import Harness

/// What those who run containers ask: is it alive, and can it do its work.
@Suite(.slot)
struct HealthTests {
  private func answer(_ path: String, _ port: Int) async throws -> HTTPAnswer {
    try await HTTPAnswer.call("GET", "http://127.0.0.1:\(port)\(path)")
  }

  @Test func readyUntilSpoolIsGone() async throws {
    let port = Ports.free()
    try await withRig({ $0.daemonLines = ["metrics = \"127.0.0.1:\(port)\""] }) { rig in
      for path in ["/healthz", "/readyz"] {
        try await until("\(path) to be well") { (try? await answer(path, port).status) == 200 }
        #expect(try await answer(path, port).body == "ok\n")
      }
      #expect(try await answer("/other", port).status == 404)
      let aside = rig.folder.appending(path: "aside")
      try FileManager.default.moveItem(at: rig.setup.spool, to: aside)
      try await until("the spool to be missed") { try await answer("/readyz", port).status == 503 }
      #expect(try await answer("/readyz", port).body.contains("spool documents"))
      #expect(try await answer("/healthz", port).status == 200, "a new start would not bring the spool back")
      try FileManager.default.moveItem(at: aside, to: rig.setup.spool)
      try await until("the spool to be back") { try await answer("/readyz", port).status == 200 }
    }
  }
}
