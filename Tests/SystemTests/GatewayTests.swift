import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// A real proxy before a backend that stops: the answers are those that operators meet.
@Suite(.slot, .needs(.nginx))
struct GatewayTests {
  /// Every failure is asked about at once, so that each question is one that the gate did not keep from being asked.
  @Test(arguments: [502, 504])
  func aStoppedUpstreamAsksNoFloodOfQuestions(status: Int) async throws {
    let count = 100
    let concurrency = 4
    try await withRig(starting: false) { outer in
      let port = Ports.free()
      let folder = outer.folder.appending(path: "upstream")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let upstream = try await Sandbox(in: folder, port: port)
      defer { upstream.cut() }
      let nginx = try await NginxProxy(before: port, in: outer.folder)
      defer { nginx.cut() }
      var setup = outer.setup
      setup.backend = Sandbox.backend(port: nginx.port)
      setup.concurrency = concurrency
      try setup.write()
      let daemon = Daemon(setup)
      defer { daemon.cut() }
      try await daemon.start()
      let rig = Rig(folder: outer.folder, sandbox: outer.sandbox, daemon: daemon, journal: nil)
      try await rig.drop("before.pdf", until: "registered")

      if status == 502 { upstream.cut() } else { upstream.signal(SIGSTOP) }
      for number in 1...count { try rig.drop("\(number).pdf") }
      try await until("the gate to close, and all to be uploaded") {
        guard try await rig.sandbox.count("upload") == count + 1 else { return false }
        return try await daemon.status().gates.array.contains {
          $0.destination == "backend.main" && $0.reason == "gateway"
        }
      }
      try await until("nothing to be in flight") { try await daemon.count("active") == 0 }
      let asked = try await daemon.jobs().filter { $0.state == "awaiting-confirmation" }
      #expect((8...8 + concurrency).contains(asked.count))
      #expect(asked.allSatisfy { $0.error.status.int == status && $0.error.kind == "transient" })
      #expect(asked.allSatisfy { $0.question.string?.contains("failed: HTTP \(status)") == true })
      #expect(try await daemon.count("queued") == count - asked.count)

      // The same backend is back: its registrations go on in the same file.
      let again = status == 502 ? try await Sandbox(in: folder, port: port, log: "again") : nil
      upstream.signal(SIGCONT)
      defer { again?.cut() }
      try await until("the probe to open the gate, and the others to be registered", within: .seconds(120)) {
        try await daemon.count("registered") == count + 1 - asked.count
      }
      #expect(try await daemon.waybill("confirm", "--all", "--yes").status == 0)
      try await until("all to be registered") { try await daemon.count("registered") == count + 1 }
      #expect(try upstream.registrations().count == count + 1, "each once")
      #expect(try await rig.sandbox.count("upload") == count + 1)
    }
  }
}
