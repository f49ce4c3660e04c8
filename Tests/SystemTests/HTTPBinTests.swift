import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The register half against a backend that others wrote.
@Suite(.slot, .needs(.httpBin))
struct HTTPBinTests {
  @Test func timeoutStatusBecomesQuestion() async throws {
    try await withRig({ $0.backend = try HTTPBin.url("/status/408") }) { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-confirmation")
      #expect(job.step == "register")
      #expect(job.error.kind == "transient")
      #expect(job.error.status == 408)
      let question = job.question.string ?? ""
      #expect(question.hasPrefix("Registration of a.pdf failed: HTTP 408"))
      #expect(question.hasSuffix(". Retry?"))
      #expect(job.existingPath != nil)
    }
  }

  @Test func unavailableServiceAbortsWithoutQuestion() async throws {
    try await withRig({ $0.backend = try HTTPBin.url("/status/503") }) { rig in
      let job = try await rig.drop("a.pdf", until: "aborted")
      #expect(job.error.status == 503 && job.question.isNull && job.existingPath != nil)
    }
  }

  /// The answer differs by attempt: each leads where the table says, and in the end every file is registered.
  @Test func varyingAnswersEndInRegistered() async throws {
    try await withRig({ $0.backend = try HTTPBin.url("/status/200,500,408") }) { rig in
      let names = (1...4).map { "file \($0).pdf" }
      for name in names { try rig.drop(name) }
      // Some 12 answers are to be expected; 200 tries of one file without a 200 among them do not happen.
      for name in names {
        for _ in 0..<200 {
          let job = try await atRest(rig.daemon, name)
          if job.state == "registered" { break }
          #expect(job.step == "register")
          #expect(job.existingPath != nil)
          let number = String(job.job.int ?? 0)
          #expect(job.state == "awaiting-confirmation")
          #expect(job.error.status == 408 || job.error.status == 500)
          #expect(try await rig.daemon.waybill("confirm", number).status == 0)
        }
      }
      for name in names { try await rig.daemon.job(named: name, in: "registered") }
      #expect(try await rig.sandbox.count("upload") == names.count, "step 1 is not run again")
    }
  }

  private func atRest(_ daemon: Daemon, _ name: String) async throws -> JSONValue {
    try await until("\(name) to come to rest") {
      let job = try await daemon.jobs().first { $0.name.string == name }
      return ["queued", "active"].contains(job?.state.string ?? "queued") ? nil : job
    }
  }
}
