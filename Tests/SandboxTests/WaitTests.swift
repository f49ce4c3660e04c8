import ChildProcesses
import Testing

/// Waiting for requests by `/_admin/wait`.
@Suite(.slot) struct WaitTests {
  @Test func answersAfterRequestedCount() async throws {
    try await withSandbox { sandbox async throws in
      async let two = sandbox.curl("/_admin/wait?kind=upload&count=2&seconds=60", [])
      async let registration = sandbox.curl("/_admin/wait?kind=register", [])
      for name in ["a", "b"] { _ = try await sandbox.put("/documents/" + name, "x") }
      #expect(try await two.json()["count"] as? Int == 2)
      _ = try await sandbox.register("{}")
      #expect(try await registration.json()["count"] as? Int == 1)
      #expect(try await sandbox.curl("/_admin/wait?kind=upload&count=1", []).json()["count"] as? Int == 2)
    }
  }

  /// A request that is held has come.
  @Test func countsUnansweredRequests() async throws {
    try await withSandbox { sandbox async throws in
      try await sandbox.faults(#"{"upload":{"hold":true}}"#)
      async let answer = sandbox.put("/documents/a", "x")
      #expect(try await sandbox.curl("/_admin/wait?kind=upload", []).json()["count"] as? Int == 1)
      _ = try await sandbox.curl("/_admin/faults", ["-X", "DELETE"])
      #expect(try await answer.status == 200)
    }
  }

  @Test(arguments: ["0", "0.05"]) func answersWithFewerAfterTimeout(seconds: String) async throws {
    try await withSandbox { sandbox async throws in
      let answer = try await sandbox.curl("/_admin/wait?kind=head&count=1&seconds=" + seconds, []).json()
      #expect(answer["kind"] as? String == "head" && answer["count"] as? Int == 0)
    }
  }

  @Test(arguments: ["", "?kind=nothing", "?kind=upload&count=many", "?kind=upload&count=-1", "?kind=upload&seconds=61"])
  func refusesInvalidQueries(query: String) async throws {
    try await withSandbox { sandbox async throws in
      #expect(try await sandbox.curl("/_admin/wait" + query, []).status == 400)
    }
  }
}
