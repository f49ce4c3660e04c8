import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Which keys are in use, from where, and never a secret.
@Suite(.slot)
struct CredentialsTests {
  @Test func showsKeyIDWithoutSecret() async throws {
    try await withRig(environment: ["BACKEND_TOKEN": "tok-verysecret"]) { setup in
      setup.backendLines = ["token = { env = \"BACKEND_TOKEN\" }"]
    } _: { rig in
      let setup = rig.setup
      let answer = try await rig.daemon.control("GET", "/v1/credentials")
      #expect(answer.status == 200)
      let list = try answer.json.credentials.array
      #expect(list.map(\.key.string) == ["token", "access_key", "secret_key"])
      #expect(list.map(\.id.string) == [nil, setup.storage.accessKey, nil])
      #expect(
        list.map(\.source.string) == [
          "environment variable BACKEND_TOKEN", setup.accessKeyFile.path, setup.secretKeyFile.path,
        ])
      #expect(list.map(\.changes_while_running) == [false, true, true])
      let shown = try await rig.daemon.waybill("status", "--long")
      #expect(shown.status == 0)
      let checked = try await Command.run(
        [Products.command, "check", "--config", setup.config.path], environment: ["BACKEND_TOKEN": "tok-verysecret"])
      for text in [answer.body, shown.output, checked.output] {
        #expect(!text.contains(setup.storage.secretKey) && !text.contains("verysecret"), "\(text)")
        #expect(text.contains(setup.storage.accessKey))
      }
      #expect(shown.output.contains("after a restart") && shown.output.contains("at once"), "\(shown.output)")

      try "AKIAOTHER\n".write(to: setup.accessKeyFile, atomically: true, encoding: .utf8)
      let now = try await rig.daemon.control("GET", "/v1/credentials").json.credentials.array
      #expect(now[1].id == "AKIAOTHER", "the next attempt uses it")
      try await rig.drop("a.pdf", until: "awaiting-credentials")
      #expect(try await rig.daemon.waybill("status", "--long").output.contains("storage.main refuses its key: jobs"))
      try FileManager.default.removeItem(at: setup.accessKeyFile)
      let missing = try await rig.daemon.waybill("status", "--long")
      #expect(missing.output.contains("storage.main access_key: cannot read \(setup.accessKeyFile.path)"), "\(missing)")
    }
  }

  /// The same key, in a file that could not be read for a while. As root reads any file, it is away.
  @Test func unreadableKeyIsNotCalledRefused() async throws {
    try await withRig { rig in
      let (file, aside) = (rig.setup.accessKeyFile, rig.folder.appending(path: "aside"))
      try FileManager.default.moveItem(at: file, to: aside)
      try await rig.drop("a.pdf", until: "awaiting-credentials")
      let reason = "cannot read \(file.path): No such file or directory"
      let gate = try #require(try await rig.daemon.status().gates.array.first)
      #expect(gate.reason == "credentials" && gate.words.string == reason)
      let probe = try #require(gate.until.string)
      let status = try await rig.daemon.waybill("status").output
      #expect(status.contains("storage.main is on hold: \(reason)") && !status.contains("refused"), "\(status)")
      try FileManager.default.moveItem(at: aside, to: file)
      let job = try await rig.daemon.job(named: "a.pdf", in: "registered", after: "awaiting-credentials")
      let stored = try #require(job.attempts.array.last { $0.step == "upload" && $0.outcome == "succeeded" })
      #expect(try #require(stored.started_at.string) < probe)
    }
  }

  @Test func missingTokenIsReportedWithRemedy() async throws {
    try await withRig(sandbox: ["--token", "the-token"]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-credentials")
      let lack = "it asked for credentials, and none are configured"
      #expect(try await rig.daemon.control("GET", "/v1/credentials").json.missing == ["backend.main"])
      let status = try await rig.daemon.waybill("status", "--long").output
      for words in ["backend.main is on hold: \(lack)", "\(lack): set token in"] { #expect(status.contains(words)) }
      let token = rig.folder.appending(path: "token")
      try "the-token\n".write(to: token, atomically: true, encoding: .utf8)
      try await rig.reload { $0.backendLines = ["token = { file = \"\(token.path)\" }"] }
      try await rig.daemon.job(named: "a.pdf", in: "registered", after: "awaiting-credentials")
      #expect(try await rig.daemon.control("GET", "/v1/credentials").json.missing == [])
    }
  }
}
