import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What is slow holds up nothing but itself. Servers that are slow here do not answer at all while a test runs.
@Suite(.slot)
struct LaneTests {
  private static let hangs: JSONValue = ["latency_ms": 600_000]

  /// The section of a destination of another server that hangs, of a storage or of a backend, and a spool that goes there.
  private func slowSpool(_ slow: String, _ setup: DaemonSetup, _ other: Sandbox, _ spool: URL) -> String {
    """
    [storage.slow]
    endpoint = "\(other.storage.endpoint)"
    region = "us-east-1"
    bucket = "\(other.storage.bucket)"
    access_key = { file = "\(setup.accessKeyFile.path)" }
    secret_key = { file = "\(setup.secretKeyFile.path)" }

    [backend.slow]
    url = "\(other.backend)"
    timeout = "10min"

    [[spool]]
    name = "slow"
    path = "\(spool.path)"
    storage = "\(slow == "storage" ? "slow" : "main")"
    backend = "\(slow == "backend" ? "slow" : "main")"
    key = "{id}/{name}"
    settle = "50ms"
    """
  }

  @Test(arguments: ["storage", "backend"])
  func hungDestinationLeavesSlotsForOthers(_ slow: String) async throws {
    let far = try TemporaryFolder()
    defer { far.remove() }
    let other = try await Sandbox(in: far.url)
    defer { other.cut() }
    let request = slow == "storage" ? "upload" : "register"
    try await other.fail([request: Self.hangs])
    try await withRig({ setup in
      setup.concurrency = 8
      let spool = setup.folder.appending(path: "slow")
      try FileManager.default.createDirectory(at: spool, withIntermediateDirectories: true)
      setup.constants["stall_timeout"] = "\"10min\""
      setup.furtherSpools = slowSpool(slow, setup, other, spool)
    }) { rig in
      for number in 1...40 { try rig.drop("slow \(number)", in: "slow") }
      // all but the one that is kept for each of the other three
      try await until("the slow server to hold what it may") { try await other.count(request) == 5 }
      for number in 1...30 { try rig.drop("other \(number)") }
      try await until("the other files to be registered") {
        try await rig.daemon.status().counts.registered.int == 30
      }
      #expect(try await other.state().in_flight[request].int == 5, "all of it while they are held there")
      #expect(try await other.count(request) == 5)
      let registered = try await rig.daemon.jobs().filter { $0.state.string == "registered" }
      #expect(registered.allSatisfy { $0.name.string?.hasPrefix("other") == true })
    }
  }

  /// Files of 10 MiB go in two parts, one of 40 MiB in eight.
  @Test(arguments: [(files: 8, size: 10 << 20, uploads: 2), (files: 1, size: 40 << 20, uploads: 1)])
  func smallFilesOvertakeLargeOnes(_ files: Int, _ size: Int, _ uploads: Int) async throws {
    try await withRig(faults: ["part": Self.hangs]) { setup in
      setup.concurrency = 4
      setup.storageLines = ["part_size = \"5MiB\""]
      setup.constants = ["part_concurrency": "8", "stall_timeout": "\"10min\""]
    } _: { rig in
      let data = try Bytes.random(size)
      for number in 1...files { try rig.drop("large \(number)", data) }
      try await until("large files to hold what they may") {
        let active = try await rig.daemon.status().activity.upload.int
        let parts = try await rig.sandbox.count("part")
        return active == uploads && parts == 2
      }
      for number in 1...20 { try rig.drop("small \(number)") }
      try await until("the small files to be registered") {
        try await rig.daemon.status().counts.registered.int == 20
      }
      let status = try await rig.daemon.status()
      #expect(status.activity.upload.int == uploads && status.counts.queued.int == files - uploads)
      let state = try await rig.sandbox.state()
      #expect(state.in_flight.part.int == 2 && state.requests.part.int == 2, "half of the requests are of parts")
    }
  }
}
