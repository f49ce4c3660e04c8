import ChildProcesses
import Foundation
import Testing

@Suite(.slot) struct RegisterTests {
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

  @Test func requiresConfiguredToken() async throws {
    try await withSandbox(["--token", "letmein"]) { sandbox async throws in
      #expect(try await sandbox.register("{}").status == 401)
      #expect(try await sandbox.register("{}", ["-H", "Authorization: Bearer other"]).status == 401)
      #expect(try await sandbox.register("{}", ["-H", "Authorization: Bearer letmein"]).status == 201)
      #expect(try sandbox.registrations().count == 1)
      let kept = try sandbox.registrations().first?["headers"] as? [String: String]
      #expect(kept?["authorization"] == nil)
    }
  }

  @Test func refusesInvalidJSON() async throws {
    try await withSandbox { sandbox async throws in
      let answer = try await sandbox.register("{\"a\":")
      #expect(answer.status == 400)
      #expect(try answer.json()["detail"] as? String == "the body is not JSON")
      #expect(try await sandbox.curl("/register", []).status == 405)
      #expect(try sandbox.registrations().isEmpty)
    }
  }
}
