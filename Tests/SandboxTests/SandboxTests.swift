import ChildProcesses
import Foundation
import Testing

/// SHA-256 of "hello".
private let helloHash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

/// What other tests do not show of the sandbox: ConformanceTests puts it beside real servers, and the daemon's tests work with it.
@Suite(.slot) struct SandboxTests {
  @Test func signatureFitsOnlyItsRequest() async throws {
    try await withSandbox { sandbox async throws in
      _ = try await sandbox.put("/documents/a", "hello", hash: helloHash)
      let recorded = try #require(try await sandbox.recorded().last)
      let authorization = try #require(recorded["authorization"] as? String)
      let date = try #require(recorded["x_amz_date"] as? String)
      let copied = [
        "-T", try sandbox.file(Data("hello".utf8)), "-H", "Authorization: " + authorization, "-H",
        "x-amz-date: " + date,
        "-H", "x-amz-content-sha256: " + helloHash,
      ]
      #expect(try await sandbox.curl("/documents/a", copied).status == 200)

      let elsewhere = try await sandbox.curl("/documents/b", copied)
      #expect(elsewhere.status == 403)
      #expect(elsewhere.body.contains("<Code>SignatureDoesNotMatch</Code>"))

      let added = try await sandbox.curl("/documents/a", copied + ["-H", "x-amz-meta-owner: me"])
      #expect(added.status == 403)
      #expect(added.body.contains("not signed: x-amz-meta-owner"))
    }
  }

  @Test func oneConcurrentUploadWins() async throws {
    try await withSandbox(["--latency", "upload=200ms"]) { sandbox async throws in
      let url = sandbox.url
      let file = try sandbox.file(Data("hello".utf8))
      // One curl, many transfers side by side: all are past the first look before any has ended.
      var arguments = ["--parallel", "--parallel-immediate"]
      for index in 0..<8 {
        arguments +=
          (index == 0 ? [] : ["--next", "-sS"]) + [
            "--aws-sigv4", "aws:amz:us-east-1:s3", "--user", RunningSandbox.accessKey + ":" + RunningSandbox.secretKey,
            "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD", "-H", "If-None-Match: *", "-T", file,
          ] + (index == 7 ? [] : [url + "/documents/a"])
      }
      _ = try await sandbox.curl("/documents/a", arguments)
      let answers = try #require(try await sandbox.state()["answers"] as? [String: [String: Int]])
      #expect(answers["upload"] == ["200": 1, "412": 7])
    }
  }

  @Test func servesByteRanges() async throws {
    try await withSandbox { sandbox async throws in
      #expect(try await sandbox.put("/documents/a", "0123456789").status == 200)
      for (range, status, piece) in [
        ("0-0", 206, "0"), ("4-7", 206, "4567"), ("8-", 206, "89"), ("5-99", 206, "56789"), ("-3", 206, "789"),
        ("-99", 206, "0123456789"), ("x", 200, "0123456789"), ("7-4", 200, "0123456789"), ("10-", 416, nil),
        ("-0", 416, nil),
      ] as [(String, Int, String?)] {
        let answer = try await sandbox.signed("/documents/a", ["-H", "Range: bytes=\(range)"])
        #expect(answer.status == status && (piece == nil || answer.body == piece), "\(range)")
      }
    }
  }

  @Test func servesOnlyLoopback() async throws {
    try await withSandbox { sandbox async throws in #expect(sandbox.url.hasPrefix("http://127.0.0.1:")) }
  }

  @Test func refusesKeyWithDifferentBody() async throws {
    try await withSandbox { sandbox async throws in
      _ = try await sandbox.register(#"{"a":1}"#, key: "k")
      let other = try await sandbox.register(#"{"a": 1}"#, key: "k")
      #expect(other.status == 422)
      #expect(other.headers["content-type"] == "application/problem+json")
      #expect(try other.json()["title"] as? String == "Unprocessable Entity")
      #expect(try sandbox.registrations().count == 1)
    }
  }

  @Test func idempotencyKeysSurviveRestart() async throws {
    try await withSandbox { first in
      _ = try await first.register("{\"a\":\n1}", key: "k")
      _ = try await first.terminate()
      let second = try await RunningSandbox(folder: first.folder)
      #expect(try await second.register("{\"a\":\n1}", key: "k").headers["idempotency-replayed"] == "true")
      #expect(try await second.register("{}").headers["location"] == "/registrations/2")
      #expect(try second.registrations().count == 2)
      _ = try await second.terminate()
    }
  }

  @Test func cutBeforeHasNoEffect() async throws {
    try await withSandbox(["--fault", "upload=cut-before,200", "--fault", "register=cut-before,200"]) {
      sandbox async throws in
      #expect(try await sandbox.put("/documents/a", "x").exit != 0)
      #expect(try await sandbox.register("{}").exit == 52)
      #expect(try sandbox.objects() == [])
      #expect(try sandbox.registrations().isEmpty)
    }
  }

  @Test(arguments: [
    #"{"upload":{"stat":503}}"#, #"{"nothing":{"status":503}}"#, #"{"upload":{"status":99}}"#, #"{"upload":{}}"#,
    #"{"upload":{"status":503,"statuses":[503]}}"#, #"{"upload":{"statuses":["cut-off"]}}"#, #"[]"#, "{",
    #"{"upload":{"status":500},"register":{"cut":"sometime"}}"#,
  ])
  func invalidFaultChangesNothing(_ json: String) async throws {
    try await withSandbox(["--fault", "register=500"]) { sandbox async throws in
      let answer = try await sandbox.faults(json)
      #expect(answer.status == 400)
      #expect(answer.headers["content-type"] == "application/problem+json")
      let faults = try #require(try await sandbox.state()["faults"] as? [String: [String: Int]])
      #expect(faults == ["register": ["status": 500]])
    }
  }

  @Test(arguments: [
    ["--fault", "upload"], ["--fault", "upload=abc"], ["--fault", "oops=503"], ["--fault", "upload=100"],
    ["--latency", "upload=soon"], ["--bucket", "x"], ["--bucket", "register"], ["--port", "70000"],
  ])
  func badArgumentIsUsageError(_ arguments: [String]) async throws {
    #expect(try await Command.run([Products.sandbox, "--data", "/nonexistent"] + arguments).status == 64)
  }
}
