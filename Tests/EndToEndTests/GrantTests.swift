import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files whose uploads the backend grants: the daemon has no key of the storage.
@Suite(.slot)
struct GrantTests {
  private func withGrants(faults: JSONValue? = nil, _ body: (Rig) async throws -> Void) async throws {
    try await withRig(faults: faults, sandbox: ["--grant-part", "5242880"]) {
      $0.isGranted = true
    } _: { rig in
      try await body(rig)
      // A URL's query is as good as a key.
      var told = try rig.daemon.errorText
      for words in [["status", "--json"], ["list", "--json"], ["show", "--json", "1"], ["log", "--json"]] {
        told += try await rig.daemon.waybill(words).output
      }
      #expect(!told.contains("X-Amz-"), "\(told)")
    }
  }

  /// In one PUT and in parts.
  @Test(arguments: [1000, (11 << 20) + 5]) func grantedFileIsRegistered(size: Int) async throws {
    try await withGrants { rig in
      let data = try Bytes.random(size)
      try rig.drop("größe 1+2.pdf", data)
      let job = try await rig.daemon.job(named: "größe 1+2.pdf", in: "registered")
      let key = try #require(job.key.string)
      let object = try #require(try await rig.sandbox.objects()[key])
      #expect(object.sha256.string == (try await Bytes.sha256(data)) && object.metadata["waybill-id"] == job.id)
      let body = try #require(try rig.sandbox.registrations().first).body
      #expect(body.link.string == "\(rig.sandbox.storage.endpoint)/documents/\(percentEncoded(key, keeping: "/"))")
      #expect(body.link == job.link && body.sha256 == object.sha256 && !body.has("verify"), "\(body)")
      #expect(try await rig.sandbox.count("grant") == 1)
      try await until("the file to be gone") { try rig.filesLeft() == [] }
    }
  }

  /// The receiver of the manual, whose signatures the sandbox checks.
  @Test(arguments: [1000, (11 << 20) + 5]) func exampleReceiverGrants(size: Int) async throws {
    try await withRig(starting: false) { rig in
      try await rig.expectGranted(size, to: rig.sandbox.storage)
    }
  }

  /// A backend that refuses to grant: its gate closes, and the storage has no part in it.
  @Test(arguments: [(401, "awaiting-credentials", "credentials"), (503, "aborted", "unavailable")])
  func refusedGrantIsBackends(status: Int, state: String, reason: String) async throws {
    let refusal: JSONValue = ["status": .number(Double(status)), "retry_after": 600]
    try await withGrants(faults: ["grant": refusal]) { rig in
      let first = try await rig.drop("a.pdf", until: state)
      #expect(first.step == "upload" && first.error.status.int == status, "\(first)")
      try rig.drop("b.pdf")
      try await until("b.pdf to be held") {
        let hold = try await rig.daemon.job(2).held_by
        return hold.destination == "backend.main" && hold.reason.string == reason
      }
      #expect(try await rig.daemon.status().gates.array.map(\.destination) == ["backend.main"])
      #expect(try await rig.sandbox.count("upload") == 0)
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("resume", "--backend", "main").status == 0)
      try await rig.daemon.job(named: "b.pdf", in: "registered")
      if status == 503 { #expect(try await rig.daemon.waybill("retry", "1").status == 0) }
      try await rig.daemon.job(named: "a.pdf", in: "registered")
    }
  }

  /// A storage that says nothing of the object: then the backend's word counts, and none is a question.
  @Test(arguments: [true, false]) func unprovenUploadNeedsBackendsWord(isThere: Bool) async throws {
    let silent: JSONValue = ["status": 201, "body": ""]
    let word: JSONValue = ["status": 201, "body": "{\"verified\": true}"]
    try await withGrants(faults: isThere ? ["upload": silent, "register": word] : ["upload": silent]) { rig in
      if isThere {
        try await rig.drop("a.pdf", until: "registered")
      } else {
        let job = try await rig.drop("a.pdf", until: "awaiting-confirmation")
        #expect(job.step == "register", "\(job)")
        #expect(job.error.message.string?.contains("does not say that the upload is there") == true, "\(job.error)")
        #expect(try rig.sandbox.registrations().map(\.body.verify) == [true])
        #expect(job.existingPath != nil)
        // The body has asked, whatever the storage is by now.
        #expect(try await rig.reload { $0.isGranted = false }.status == 0)
        #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
        try await until("the second question") {
          let job = try await rig.daemon.newestJob(named: "a.pdf")
          return job?.state == "awaiting-confirmation" && job?.attempt == 2
        }
      }
    }
  }
}
