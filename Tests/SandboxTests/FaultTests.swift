import ChildProcesses
import Foundation
import Testing

@Suite(.slot) struct FaultTests {
  @Test func uploadFaultsLookLikeS3() async throws {
    try await withSandbox { sandbox async throws in
      try await sandbox.faults(#"{"upload":{"status":503,"retry_after":2,"code":"SlowDown","message":"a <b> & c"}}"#)
      let answer = try await sandbox.put("/documents/a", "x")
      #expect(answer.status == 503)
      #expect(answer.headers["retry-after"] == "2")
      #expect(answer.body.contains("<Code>SlowDown</Code><Message>a &lt;b&gt; &amp; c</Message>"))
      #expect(try await sandbox.signed("/documents/a", ["-I"]).status == 404, "another kind of request is not touched")
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

  @Test func latencyDelaysRequest() async throws {
    try await withSandbox { sandbox async throws in
      // Far longer than the test may take: what ends the wait is the stop, not the time.
      try await sandbox.faults(#"{"register":{"latency_ms":600000}}"#)
      async let held = sandbox.register("{}")
      try await until("the request to be held") {
        (try await sandbox.state()["in_flight"] as? [String: Int])?["register"] == 1
      }
      #expect(try sandbox.registrations().isEmpty)
      #expect(try await sandbox.terminate() == 0)
      _ = try await held
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
