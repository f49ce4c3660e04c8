import ChildProcesses
import ControlAPI
import ControlTesting
import HTTPTypes
import Jobs
import Testing
@testable import ControlServer

/// A request with an `Idempotency-Key` acts once, and its key gets the same answer each time.
@Suite(.slot)
struct RequestKeyTests {
  private struct Answer: Equatable {
    var status = 0
    var isRepeated = false
    var body = ""

    var code: ProblemCode? {
      try? ControlJSON.decode(ProblemDocument.self, from: body.utf8).code
    }
  }

  private func post(_ socket: String, _ path: String, _ body: String, key: String?) async throws -> Answer {
    var words = ["curl", "-q", "-sS", "-i", "--max-time", "20", "--unix-socket", socket, "http://localhost" + path]
    words += ["-d", body] + (key.map { ["-H", "Idempotency-Key: " + $0] } ?? [])
    let result = try await Command.run(words)
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\r\n", omittingEmptySubsequences: false)
    var answer = Answer()
    answer.status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    answer.isRepeated = lines.contains { $0.lowercased() == "idempotent-replayed: true" }
    answer.body = String(lines.last ?? "")
    return answer
  }

  @Test func keyedRequestActsOnce() async throws {
    let jobs = InMemoryJobs()
    let number = try await jobs.add(FileName("a.pdf"), .begin, .asks)
    try await withControlServer(jobs.operations) { socket in
      let first = try await post(socket, "/v1/jobs/1/confirm", "{}", key: "\"one\"")
      #expect(first.status == 200 && !first.isRepeated)
      // the job asks once more: the key answers the question that it was given for, and no later one
      try await jobs.drive(number, .begin, .asksOtherwise(attempt: 2))
      let revision = await jobs.job(number)?.revision
      var again = try await post(socket, "/v1/jobs/1/confirm", "{}", key: "one")
      #expect(again.isRepeated)
      again.isRepeated = false
      #expect(again == first)
      #expect(await jobs.job(number)?.revision == revision)
      #expect(try await post(socket, "/v1/jobs/1/confirm", "{}", key: "two").status == 200)
    }
  }

  @Test func keyServesOneRequestOnly() async throws {
    let jobs = InMemoryJobs()
    try await jobs.add(FileName("a.pdf"), .begin, .asks)
    try await withControlServer(jobs.operations) { socket in
      #expect(try await post(socket, "/v1/pause", #"{"destination":"all"}"#, key: "k").status == 200)
      for (path, body) in [
        ("/v1/pause", #"{"destination":"intake"}"#), ("/v1/resume", #"{"destination":"all"}"#),
        ("/v1/jobs/1/confirm", "{}"),
      ] {
        let other = try await post(socket, path, body, key: "k")
        #expect(other.status == 422 && other.code == .keyReused, "\(other)")
      }
    }
  }

  @Test func remembersRefusalsButNotMistakes() async throws {
    let jobs = InMemoryJobs()
    let number = try await jobs.add(FileName("a.pdf"))
    try await withControlServer(jobs.operations) { socket in
      let early = try await post(socket, "/v1/jobs/1/confirm", "{}", key: "k")
      #expect(early.status == 409 && early.code == .state)
      try await jobs.drive(number, .begin, .asks)
      let again = try await post(socket, "/v1/jobs/1/confirm", "{}", key: "k")
      #expect(again.isRepeated && again.body == early.body)
      for (path, body, code) in [
        ("/v1/jobs/1/confirm", #"{"x":1}"#, ProblemCode.invalidRequest), ("/v1/jobs/9/confirm", "{}", .unknownJob),
      ] {
        let count = await jobs.remembered.count
        for _ in 1...2 {
          let refused = try await post(socket, path, body, key: "mistake")
          #expect(refused.code == code && !refused.isRepeated, "\(refused)")
        }
        #expect(await jobs.remembered.count == count)
      }
      #expect(try await post(socket, "/v1/jobs/1/confirm", "{}", key: "mistake").status == 200)
    }
  }

  @Test func refusesInvalidKeys() async throws {
    try await withControlServer(InMemoryJobs().operations) { socket in
      for key in ["\"\"", "a b", "ä", String(repeating: "k", count: 129)] {
        let answer = try await post(socket, "/v1/pause", "{}", key: key)
        #expect(answer.status == 400 && answer.body.contains("Idempotency-Key"), "\(key): \(answer)")
      }
    }
  }

  @Test func runningRequestIsNotRepeated() async throws {
    let requests = IdempotentRequests(InMemoryRequests(), report: { _ in })
    let key = RequestKey(uid: 1, text: "k")
    let answer = try await requests.once(key, fingerprint: "a") {
      let problem = await #expect(throws: ProblemDocument.self) {
        try await requests.once(key, fingerprint: "a") { ControlAnswer(text: "", type: "") }
      }
      #expect(problem?.code == .keyInUse)
      return ControlAnswer(text: "done", type: "")
    }
    #expect(answer.body == Array("done".utf8))
  }

  @Test(arguments: [ProblemCode.stopping, .internal, .file])
  func interruptedRequestHasUnknownOutcome(code: ProblemCode) async throws {
    let requests = IdempotentRequests(InMemoryRequests(), report: { _ in })
    let key = RequestKey(uid: 1, text: "k")
    _ = try await requests.once(key, fingerprint: "a") { try ControlAnswer(ProblemDocument(code, detail: nil)) }
    let problem = await #expect(throws: ProblemDocument.self) {
      try await requests.once(key, fingerprint: "a") { ControlAnswer(text: "", type: "") }
    }
    #expect(problem?.code == .outcomeUnknown)
  }
}
