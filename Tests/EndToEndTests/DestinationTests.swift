import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Refused keys, and servers that are not there.
@Suite(.slot)
struct DestinationTests {
  /// Of many files only those that were in flight met the refusal; the right key brings all home without a word.
  @Test func correctedKeyReleasesAllJobs() async throws {
    try await withRig({
      $0.storage.secretKey = "not-the-secret"
      $0.concurrency = 4
    }) { rig in
      let names = (1...40).map { "\($0).pdf" }
      for name in names { try rig.drop(name) }
      try await until("all to wait") {
        let waiting = try await rig.daemon.count("awaiting-credentials")
        let queued = try await rig.daemon.count("queued")
        return waiting > 0 && waiting + queued == names.count
      }
      let refused = try await rig.daemon.jobs().filter { $0.state == "awaiting-credentials" }
      #expect(refused.count <= 4 && refused.allSatisfy { $0.error.kind == "credentials" && $0.error.status == 403 })
      let gate = try #require(try await rig.daemon.status().gates.array.first)
      #expect(gate.destination == "storage.main" && gate.reason == "credentials")
      let held = try #require(try await rig.daemon.jobs().first { $0.state == "queued" })
      #expect(held.held_by.destination == "storage.main" && held.held_by.reason == "credentials")
      var corrected = rig.setup
      corrected.storage = rig.sandbox.storage
      try corrected.writeKeys()
      try await until("all to be registered") { try await rig.daemon.count("registered") == names.count }
      #expect(try await rig.daemon.status().gates.array.isEmpty)
      #expect(try rig.sandbox.registrations().count == names.count)
      // One try each, but for those that were refused, and for probes.
      #expect(try await rig.sandbox.count("upload") < names.count + 20)
    }
  }

  @Test func secretsAreNeverShown() async throws {
    try await withRig(faults: ["upload": ["status": 599]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let secret = rig.setup.storage.secretKey
      for path in ["/v1/status", "/v1/jobs", "/v1/jobs/1"] {
        let body = try await rig.daemon.control("GET", path).body
        #expect(!body.contains(secret) && !body.contains("Signature="), "\(path)")
      }
      #expect(try !rig.daemon.errorText.contains(secret))
    }
  }
}
