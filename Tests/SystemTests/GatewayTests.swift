import ChildProcesses
import Foundation
import Jobs
import Testing

@testable import Harness

/// A real proxy before a backend that stops: the answers are those that operators meet.
@Suite(.slot, .needs(.nginx))
struct GatewayTests {
  /// Every failure is asked about at once, so that each question is one that the gate did not keep from being asked.
  @Test func stoppedUpstreamAsksFewQuestions() async throws {
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

      upstream.cut()
      for number in 1...count { try rig.drop("\(number).pdf") }
      try await until("the gate to close, and all to be uploaded") {
        guard try await rig.sandbox.count("upload") == count + 1 else { return false }
        return try await daemon.status().gates.array.contains {
          $0.destination == "backend.main" && $0.reason == "gateway"
        }
      }
      let asked = try await until("nothing to be in flight") { () -> [JSONValue]? in
        let jobs = try await daemon.jobs()
        let asked = jobs.filter { $0.state == "awaiting-confirmation" }
        return asked.count + jobs.count { $0.state == "queued" } == count ? asked : nil
      }
      #expect(asked.allSatisfy { $0.error.status == 502 && $0.error.kind == "transient" })
      #expect(asked.allSatisfy { $0.question.string?.contains("failed: HTTP 502") == true })
      try await expectNoFlood(daemon, concurrency)

      // The same backend is back: its registrations go on in the same file.
      let again = try await Sandbox(in: folder, port: port, log: "again")
      defer { again.cut() }
      try await until("the probe to open the gate, and the others to be registered") {
        // Each probe that was refused meanwhile is a question more.
        let jobs = try await daemon.jobs()
        return jobs.count { ["registered", "awaiting-confirmation"].contains($0.state.string) } == count + 1
      }
      #expect(try await daemon.waybill("confirm", "--all", "--yes").status == 0)
      try await until("all to be registered") { try await daemon.count("registered") == count + 1 }
      #expect(try upstream.registrations().count == count + 1, "each once")
      #expect(try await rig.sandbox.count("upload") == count + 1)
    }
  }

  /// The questions are those of the failures that closed the gate, and of what was in flight then. Later ones are of probes, of
  /// which the first begins after a pause.
  private func expectNoFlood(_ daemon: Daemon, _ concurrency: Int) async throws {
    let events = try await daemon.events(after: 0).map(\.event)
    let closed = try #require(events.firstIndex { $0.event == "gate-closed" })
    let firstProbe = try time(events[closed]) + Gate.firstPause / .seconds(1)
    let asked = try events.filter { $0.event == "question" }.filter { try time($0) < firstProbe }.count
    #expect(asked <= 8 + concurrency, "\(asked)")
    #expect(events[..<closed].count { $0.event == "question" } <= 8)
  }

  /// When an event was, in seconds.
  private func time(_ event: JSONValue) throws -> Double {
    try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(event.at.string ?? "").timeIntervalSince1970
  }
}
