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

  @Test func rereadsTokenFile() async throws {
    try await withRig(
      sandbox: ["--session-token", "second"],
      { setup in
        let token = setup.folder.appending(path: "token")
        try "first\n".write(to: token, atomically: true, encoding: .utf8)
        setup.storageLines = ["session_token = { file = \"\(token.path)\" }"]
      }
    ) { rig in
      try await rig.drop("a.pdf", until: "awaiting-credentials")
      try "second\n".write(to: rig.folder.appending(path: "token"), atomically: true, encoding: .utf8)
      try await until("it to go on by itself") { try await rig.daemon.count("registered") == 1 }
    }
  }

  @Test func missingProfileFailsStart() async throws {
    let folder = try TemporaryFolder()
    try folder.write("credentials", "[default]\n")
    try await withRig(
      starting: false, environment: ["AWS_SHARED_CREDENTIALS_FILE": folder.file("credentials")],
      { $0.keyLines = ["access_key = { aws_profile = \"uploads\" }"] }
    ) { rig in
      let child = try rig.daemon.launch()
      #expect(try await child.end() == .exit(78))
      #expect(
        child.errorText.contains("storage.main.access_key: \(folder.file("credentials")) has no profile [uploads]"))
    }
  }

  @Test func supportsVirtualHostAddressing() async throws {
    try await withRig({
      $0.storage.endpoint = $0.storage.endpoint.replacing("127.0.0.1", with: "localhost")
      $0.storageLines = ["addressing = \"virtual\"", "part_size = \"5MiB\""]
    }) { rig in
      try rig.drop("large.bin", try Bytes.random(6 << 20))
      try await rig.drop("small.bin", until: "registered")
      try await rig.daemon.job(named: "large.bin", in: "registered")
      #expect(try await rig.sandbox.objects().count == 2)
    }
  }
}
