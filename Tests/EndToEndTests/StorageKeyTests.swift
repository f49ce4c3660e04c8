import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Where a storage's keys come from, beside files of their own.
@Suite(.slot)
struct StorageKeyTests {
  private static func profile(_ setup: DaemonSetup, secret: String, token: String) -> String {
    """
    [default]
    aws_access_key_id = nobody
    aws_secret_access_key = nothing

    [uploads]
    aws_access_key_id = \(setup.storage.accessKey)
    aws_secret_access_key = \(secret)
    aws_session_token = \(token)

    """
  }

  @Test func rereadsProfileKeysAndToken() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("credentials")
    try await withRig(
      environment: ["AWS_SHARED_CREDENTIALS_FILE": file], sandbox: ["--session-token", "second"],
      { setup in
        setup.keyLines = ["access_key = { aws_profile = \"uploads\" }"]
        try folder.write("credentials", Self.profile(setup, secret: setup.storage.secretKey, token: "first"))
      }
    ) { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-credentials")
      #expect(job.error.code == "InvalidToken")
      try folder.write(
        "credentials", Self.profile(rig.setup, secret: rig.setup.storage.secretKey, token: "second"))
      try await until("it to go on by itself") { try await rig.daemon.count("registered") == 1 }
    }
  }
}
