import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// The daemon's start and end as a service manager sees them.
@Suite(.slot)
struct StopTests {
  /// The listener notes with each message whether the control socket answered a connection at that moment.
  @Test func reportsReadyOnceSocketListens() async throws {
    try await withRig(starting: false) { rig in
      let log = try await StatusLog(in: rig.folder, control: rig.setup.socket)
      let daemon = Daemon(rig.setup, environment: log.environment)
      try await daemon.start()
      let ready = try await until("READY=1") { try log.messages().first { $0.lines.array.contains("READY=1") } }
      #expect(ready.answers == true)
      #expect(try log.messages().prefix { !$0.lines.array.contains("READY=1") }.allSatisfy { $0.answers == false })
      try await until("a STATUS") { try log.status() != nil }
      try await rig.sandbox.fail(["upload": ["status": 599]])
      try rig.drop("a.pdf")
      try await daemon.job(named: "a.pdf", in: "awaiting-confirmation")
      try await until("STATUS with the question") { try log.status()?.contains("1 awaiting confirmation") == true }
      #expect(try await daemon.stop() == .exit(0))
      #expect(try log.messages().contains { $0.lines.array.contains("STOPPING=1") })
    }
  }

  /// What is in flight is heard to its end, and all who watch the daemon are told of it. The line of the status is told with a delay, so
  /// the one before the end may be due after it.
  @Test func inFlightRequestsFinishWithinGrace() async throws {
    let port = Ports.free()
    func setup(_ setup: inout DaemonSetup) {
      setup.daemonLines = ["metrics = \"127.0.0.1:\(port)\""]
      setup.grace = "1h"
      setup.waitForServers()
    }
    try await withRig(faults: ["register": ["hold": true]], starting: false, setup) { rig in
      let log = try await StatusLog(in: rig.folder, control: rig.setup.socket)
      let daemon = Daemon(rig.setup, environment: log.environment)
      try await daemon.start()
      for name in ["a.pdf", "b.pdf"] { try rig.drop(name) }
      try await rig.sandbox.receives("register", 2)
      try daemon.child().signal(SIGTERM)
      func told() throws -> [String] {
        try log.messages().map { $0.lines.array.compactMap(\.string) }.drop { !$0.contains("STOPPING=1") }
          .joined().filter { $0.hasPrefix("STATUS=") }
      }
      try await until("the end to be told") { try !told().isEmpty }
      try await until("it to be not ready") {
        (try? await HTTPAnswer.call("GET", "http://127.0.0.1:\(port)/readyz"))?.body == "stopping\n"
      }
      #expect(try await daemon.waybill("cancel", "1").status == 0)
      try await until("what is left to be told") { try told().count > 1 }
      #expect(try told() == ["STATUS=stopping, 2 in flight", "STATUS=stopping, 1 in flight"])
      try await rig.sandbox.recover()
      #expect(try await daemon.child().end() == .exit(0))
      #expect(try told().allSatisfy { $0.hasPrefix("STATUS=stopping") })
      // What was heard is durable: nothing is sent again.
      try await daemon.start()
      let job = try await daemon.job(2)
      #expect(job.state == "registered" && job.attempts.array.allSatisfy { $0.outcome == "succeeded" }, "\(job)")
      #expect(try await rig.sandbox.count("register") == 2)
      #expect(try await rig.sandbox.count("upload") == 2)
    }
  }
}
