import ChildProcesses
import Testing

/// Waiting for requests by `/_admin/wait`.
@Suite(.slot) struct WaitTests {
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
