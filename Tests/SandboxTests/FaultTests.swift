import ChildProcesses
import Foundation
import Testing

@Suite(.slot) struct FaultTests {
  @Test func sequenceYieldsOneFaultPerRequest() async throws {
    try await withSandbox(["--fault", "upload=503,502,200,500"]) { sandbox async throws in
      var statuses: [Int] = []
      for index in 0..<5 { statuses.append(try await sandbox.put("/documents/\(index)", "x").status) }
      #expect(statuses == [503, 502, 200, 500, 200])
      #expect(try sandbox.objects() == ["2", "4"])
      #expect((try await sandbox.state()["faults"] as? [String: Any])?.isEmpty == true)
    }
  }

  @Test func singleStatusStaysUntilRemoved() async throws {
    try await withSandbox(["--fault", "register=599"]) { sandbox async throws in
      for _ in 0..<3 { #expect(try await sandbox.register("{}").status == 599) }
      #expect(try await sandbox.curl("/_admin/faults", ["-X", "DELETE"]).status == 200)
      #expect(try await sandbox.register("{}").status == 201)
      #expect(try sandbox.registrations().count == 1)
    }
  }

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

  @Test func errorMayComeIn200() async throws {
    try await withSandbox { sandbox async throws in
      try await sandbox.faults(#"{"upload":{"status":200,"code":"SlowDown"}}"#)
      let answer = try await sandbox.put("/documents/a", "x")
      #expect(answer.status == 200)
      #expect(answer.body.contains("<Code>SlowDown</Code>"))
      #expect(try sandbox.objects() == [])
    }
  }

  @Test func registerFaultsAreProblemDocuments() async throws {
    try await withSandbox { sandbox async throws in
      try await sandbox.faults(
        #"{"register":{"status":422,"message":"number is taken","headers":{"X-Why":"because"},"times":1}}"#)
      let answer = try await sandbox.register("{}")
      #expect(answer.status == 422)
      #expect(answer.headers["content-type"] == "application/problem+json")
      #expect(answer.headers["x-why"] == "because")
      #expect(try answer.json()["detail"] as? String == "number is taken")
      #expect(try await sandbox.register("{}").status == 201)
    }
  }

  @Test func holdsRequestUntilFaultsChange() async throws {
    try await withSandbox { sandbox async throws in
      try await sandbox.faults(#"{"register":{"hold":true,"status":503,"times":1}}"#)
      async let held = sandbox.register("{}").status
      try await until("the request to be held") {
        let inFlight = try await sandbox.state()["in_flight"] as? [String: Int]
        return inFlight?["register"] == 1
      }
      try await sandbox.faults(#"{"upload":{"status":503}}"#)
      #expect(try await held == 503, "after the wait the rest of its fault has its effect")
      #expect(try await sandbox.register("{}").status == 201)
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

  @Test func cutAfterActsWithoutResponse() async throws {
    try await withSandbox(["--fault", "upload=cut-after,200", "--fault", "register=cut-after,200"]) {
      sandbox async throws in
      #expect(try await sandbox.put("/documents/a", "x").exit == 52)
      #expect(try await sandbox.register("{}", key: "k").exit == 52)
      #expect(try sandbox.objects() == ["a"])
      let again = try await sandbox.register("{}", key: "k")
      #expect(again.headers["idempotency-replayed"] == "true")
      #expect(try sandbox.registrations().count == 1)
    }
  }

  @Test func cutMidSendsHalfResponse() async throws {
    try await withSandbox(["--fault", "upload=cut-mid,200", "--fault", "register=cut-mid,200"]) {
      sandbox async throws in
      let put = try await sandbox.put("/documents/a", "x")
      #expect(put.exit == 18)
      #expect(put.status == 200)
      let register = try await sandbox.register("{}")
      #expect(register.exit == 18)
      #expect(register.status == 201)
      #expect(register.body == #"{"ok":true,"#)
      #expect(try sandbox.registrations().count == 1)
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

  @Test func changesOnlyNamedKinds() async throws {
    try await withSandbox(["--fault", "register=500"]) { sandbox async throws in
      try await sandbox.faults(#"{"upload":{"status":500}}"#)
      let both = try await sandbox.curl("/_admin/faults", []).json()
      #expect(Set(both.keys) == ["upload", "register"])
      let one = try await sandbox.faults(#"{"register":null}"#).json()
      #expect(Set(one.keys) == ["upload"])
    }
  }

  @Test func stateShowsEachRequest() async throws {
    try await withSandbox(["--fault", "upload=503,200"]) { sandbox async throws in
      _ = try await sandbox.put("/documents/a", "x")
      _ = try await sandbox.put("/documents/a", "x")
      let recorded = try await sandbox.recorded()
      #expect(recorded.map { $0["status"] as? Int } == [503, 200])
      #expect(recorded.allSatisfy { ($0["authorization"] as? String)?.hasPrefix("AWS4-HMAC-SHA256 ") == true })
      #expect(recorded.allSatisfy { ($0["x_amz_date"] as? String)?.hasSuffix("Z") == true })
      #expect(recorded.allSatisfy { $0["target"] as? String == "/documents/a" })
      #expect((try await sandbox.state()["objects"] as? [String: Int])?["count"] == 1)
    }
  }

  @Test(arguments: [
    ["--fault", "upload"], ["--fault", "upload=abc"], ["--fault", "oops=503"], ["--fault", "upload=100"],
    ["--latency", "upload=soon"], ["--bucket", "x"], ["--bucket", "register"], ["--port", "70000"],
  ])
  func badArgumentIsUsageError(_ arguments: [String]) async throws {
    #expect(try await Command.run([Products.sandbox, "--data", "/nonexistent"] + arguments).status == 64)
  }

  @Test func terminatesCleanlyWithOpenConnections() async throws {
    try await withSandbox { sandbox async throws in
      #expect(try await sandbox.register("{}").status == 201)
      #expect(try await sandbox.terminate() == 0)
    }
  }
}
