import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The example receiver of docs/backend.md as a backend: it verifies the signature and does each document once.
@Suite(.slot)
struct ReceiverTests {
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  private func receiver(_ rig: Rig, secret: URL) async throws -> (process: ChildProcess, url: String) {
    let process = try ChildProcess(
      [
        try await Products.python.value, Products.source("docs/examples/receiver.py"), "--port", "0", "--database",
        rig.folder.appending(path: "documents.sqlite").path, "--secret-file", secret.path,
      ], folder: rig.folder, log: "receiver")
    let url = try await until("the receiver to listen") {
      process.outputText.split(separator: "\n").first { $0.hasPrefix("listening on ") }
        .map { $0.dropFirst("listening on ".count) + "/documents" }
    }
    return (process, String(url))
  }

  private func documents(_ rig: Rig) async throws -> String {
    let script =
      "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*), count(DISTINCT link) FROM document').fetchone())"
    return try await Command.require([
      try await Products.python.value, "-c", script, rig.folder.appending(path: "documents.sqlite").path,
    ]).trimmingCharacters(in: .newlines)
  }

  @Test func acceptsSignedRegistrationsOnceEach() async throws {
    try await withRig(starting: false) { rig in
      let secret = rig.folder.appending(path: "signing")
      try (Self.secret + "\n").write(to: secret, atomically: true, encoding: .utf8)
      let wrong = rig.folder.appending(path: "wrong")
      try "whsec_d3Jvbmcgd3Jvbmcgd3Jvbmc=\n".write(to: wrong, atomically: true, encoding: .utf8)
      let (process, url) = try await receiver(rig, secret: secret)
      defer { process.cut() }
      var setup = rig.setup
      setup.backend = url
      setup.backendLines = ["signing_secret = { file = \"\(wrong.path)\" }"]
      try setup.write()
      try await rig.daemon.start()

      // a wrong secret is a key that is refused: the jobs wait for another one, and go on by themselves
      let asked = try await rig.drop("first.pdf", until: "awaiting-credentials")
      #expect(asked.error.message.string?.contains("the signature is missing, wrong or too old") == true, "\(asked)")
      for number in 1...20 { try rig.drop("\(number).pdf") }
      try (Self.secret + "\n").write(to: wrong, atomically: true, encoding: .utf8)
      try await until("all to be registered") { try await rig.daemon.count("registered") == 21 }
      #expect(try await documents(rig) == "(21, 21)")
      let job = try await rig.daemon.job(1)
      #expect(job.receipts.register.status == 201)
      #expect(job.receipts.register.location.string?.hasPrefix("/documents/") == true, "\(job.receipts)")
    }
  }
}
