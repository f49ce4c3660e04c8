import ChildProcesses
import Foundation
import Testing

/// Which keys are in use, from where, and never a secret.
@Suite(.slot)
struct CredentialsTests {
  @Test func theIdOfAKeyIsShownAndNoSecret() async throws {
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
      let shown = try await rig.daemon.waybill("credentials")
      #expect(shown.status == 0)
      for text in [answer.body, shown.output, try await rig.daemon.waybill("credentials", "--json").output] {
        #expect(!text.contains(setup.storage.secretKey) && !text.contains("verysecret"), "\(text)")
        #expect(text.contains(setup.storage.accessKey))
      }
      #expect(shown.output.contains("after a restart") && shown.output.contains("at once"), "\(shown.output)")

      try "AKIAOTHER\n".write(to: setup.accessKeyFile, atomically: true, encoding: .utf8)
      let now = try await rig.daemon.control("GET", "/v1/credentials").json.credentials.array
      #expect(now[1].id == "AKIAOTHER", "the next attempt uses it")
      try await rig.drop("a.pdf", until: "awaiting-credentials")
      #expect(
        try await rig.daemon.waybill("credentials").output.contains("storage.main refuses its key: jobs wait"))
      try FileManager.default.removeItem(at: setup.accessKeyFile)
      let missing = try await rig.daemon.waybill("credentials")
      #expect(missing.output.contains("storage.main access_key: cannot read \(setup.accessKeyFile.path)"), "\(missing)")
    }
  }
}
