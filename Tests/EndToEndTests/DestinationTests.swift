import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Refused keys, and servers that are not there.
@Suite(.slot)
struct DestinationTests {
  @Test func refusedKeyWaitsForCorrection() async throws {
    try await withRig({ $0.storage.secretKey = "not-the-secret" }) { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-credentials")
      #expect(job.step == "upload")
      #expect(job.question.isNull)
      #expect(job.error.kind == "credentials")
      #expect(job.error.status == 403)
      #expect(job.existingPath != nil)
      var corrected = rig.setup
      corrected.storage = rig.sandbox.storage
      try corrected.writeKeys()
      try await until("it to go on by itself") { try await rig.daemon.count("registered") == 1 }
    }
  }

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
      #expect(try await rig.daemon.count("awaiting-credentials") <= 4)
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

  @Test func unreachableBackendIsWaitedFor() async throws {
    let port = Ports.free()
    try await withRig({ $0.backend = Sandbox.backend(port: port) }) { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-network")
      #expect(job.step == "register")
      #expect(job.error.kind == "network")
      #expect(job.question.isNull)
      #expect(job.link.string != nil)
      let backend = try await Sandbox(in: rig.folder.appending(path: "outside"), port: port)
      defer { backend.cut() }
      let done = try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(done.attempt == 2, "looks cost no attempt")
      #expect(try backend.registrations().map(\.body.id) == [job.id])
      #expect(try await rig.sandbox.count("upload") == 1)
    }
  }

  @Test func unreachableStorageIsWaitedFor() async throws {
    let port = Ports.free()
    try await withRig({ $0.storage = Sandbox.storage(port: port) }) { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-network")
      #expect(job.step == "upload")
      #expect(job.error.kind == "network")
      let storage = try await Sandbox(in: rig.folder.appending(path: "outside"), port: port)
      defer { storage.cut() }
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(try await storage.objects().count == 1)
    }
  }

  @Test func missingBucketAsks() async throws {
    try await withRig({ $0.storage.bucket = "no-such-bucket" }) { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-confirmation")
      #expect(job.error.kind == "destination")
      #expect(job.error.code == "NoSuchBucket")
      #expect(job.question.string?.hasPrefix("Upload of a.pdf failed: HTTP 404 NoSuchBucket") == true)
    }
  }

  @Test func redirectIsNamedNotFollowed() async throws {
    let fault: JSONValue = ["status": 307, "headers": ["Location": "http://127.0.0.1:1/elsewhere"]]
    try await withRig(faults: ["register": fault], { $0.delays = ["50ms"] }) { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-confirmation")
      #expect(job.error.kind == "destination")
      #expect(job.error.status == 307)
      #expect(job.question.string?.contains("http://127.0.0.1:1/elsewhere") == true)
      #expect(try await rig.sandbox.count("register") == 1)
    }
  }
}
