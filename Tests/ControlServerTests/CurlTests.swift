import ChildProcesses
import ControlTesting
import ControlServer
import Glibc
import Jobs
import Testing

/// The control socket as an operator uses it: with curl.
@Suite(.slot)
struct CurlTests {
  private func curl(_ socket: String, _ path: String, _ arguments: String...) async throws -> (
    text: String, status: Int
  ) {
    let result = try await Command.run(
      [
        "curl", "-q", "-sS", "--max-time", "20", "--unix-socket", socket, "http://localhost" + path, "-w",
        "\n%{http_code}",
      ]
        + arguments)
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    return (lines.dropLast().joined(separator: "\n"), lines.last.flatMap { Int($0) } ?? 0)
  }

  /// A daemon is no fleet: it answers for no host by name. Only the colon of a name may be percent-encoded.
  @Test func hostsAreOfFleets() async throws {
    let jobs = InMemoryJobs()
    try await jobs.add(FileName("a.pdf"))
    try await withControlServer(jobs.operations) { socket in
      let wanted =
        ["status", "jobs", "groups", "log", "events"].map { ("\($0)?host=x", 404) } + [
          ("status?state=queued", 400), ("jobs/%31", 404), ("jobs/x%3A1", 404), ("jobs/+1", 404),
        ]
      for (path, status) in wanted {
        let answer = try await curl(socket, "/v1/" + path)
        #expect(answer.status == status, "\(path): \(answer)")
      }
    }
  }

  /// Parameters that are not read would leave a command that means more.
  @Test(arguments: [
    "pause", "resume", "reload", "jobs/confirm", "jobs/cancel", "jobs/retry", "jobs/discard", "jobs/1/confirm",
    "jobs/1/cancel", "jobs/1/retry", "jobs/1/release", "jobs/1/discard",
  ])
  func refusesCommandsWithQuery(path: String) async throws {
    let jobs = InMemoryJobs()
    try await jobs.add(FileName("a.pdf"), .begin, .asks)
    try await withControlServer(jobs.operations) { socket in
      for body in ["", "{}"] {
        let answer = try await curl(socket, "/v1/\(path)?spool=docs", "-d", body)
        #expect(answer.status == 400 && answer.text.contains("?spool=docs"), "\(answer)")
      }
      #expect(try await curl(socket, "/v1/status").text.contains(#""pauses":[]"#))
    }
    #expect(await jobs.job(JobNumber(rawValue: 1))?.state == .awaitingConfirmation)
  }

  @Test(arguments: [
    ("/page", "GET", 404), ("/", "POST", 405), ("/metrics", "POST", 405), ("/v1", "GET", 404), ("/v1/", "GET", 404),
    ("/v2/status", "GET", 404), ("/v1/jobs/", "GET", 404),
    ("/v1/jobs/99", "GET", 404), ("/v1/jobs/x", "GET", 404), ("/v1/jobs/-1", "GET", 404),
    ("/v1/jobs/99999999999999999999", "GET", 404), ("/v1/jobs/1/burn", "POST", 404), ("/v1/jobs/99/retry", "POST", 404),
    ("/v1/status", "POST", 405), ("/v1/jobs/1", "DELETE", 405), ("/v1/jobs/1/confirm", "GET", 405),
    ("/v1/jobs/confirm", "GET", 405), ("/v1/jobs", "PUT", 405),
    ("/v1/jobs/release", "POST", 404), ("/v1/jobs/1/discard", "GET", 405), ("/v1/events", "POST", 405),
    ("/v1/pause", "GET", 405), ("/v1/resume", "DELETE", 405), ("/v1/pause/all", "POST", 404),
    ("/v1/reload", "GET", 405),
    ("/v1/credentials", "POST", 405),
    ("/v1/events/1", "GET", 404),
  ])
  func unknownPathOrMethodIsProblem(path: String, method: String, status: Int) async throws {
    let jobs = InMemoryJobs()
    try await jobs.add(FileName("a.pdf"))
    try await withControlServer(jobs.operations) { socket in
      let answer = try await curl(socket, path, "-X", method, "-i")
      #expect(answer.status == status)
      #expect(answer.text.lowercased().contains("content-type: application/problem+json"))
      #expect(answer.text.contains(#""status":\#(status)"#) && answer.text.contains(#""detail":"#))
      #expect(answer.text.lowercased().contains("allow: ") == (status == 405))
    }
  }

  @Test(arguments: [
    (#"{"reson":"x"}"#, 400, "reson"), ("{", 400, "JSON"), (#"{"remove":"yes"}"#, 400, "remove"),
    (String(repeating: " ", count: 65 * 1024), 413, "65536"),
  ])
  func invalidBodyLeavesJobUnchanged(body: String, status: Int, words: String) async throws {
    let jobs = InMemoryJobs()
    let number = try await jobs.add(FileName("a.pdf"))
    try await withControlServer(jobs.operations) { socket in
      let answer = try await curl(socket, "/v1/jobs/1/cancel", "-d", body)
      #expect(answer.status == status && answer.text.contains(words), "\(answer)")
      let chunked = try await curl(socket, "/v1/jobs/1/cancel", "-d", body, "-H", "Transfer-Encoding: chunked")
      #expect(chunked.status == status && chunked.text.contains(words), "\(chunked)")
    }
    #expect(await jobs.job(number)?.revision == 1)
  }

  @Test func internalErrorIsReportedNotShown() async throws {
    struct Secret: Error { let path = "/var/lib/waybill/ledger" }
    var operations = InMemoryJobs().operations
    operations.statusAnswer = { throw Secret() }
    let reports = Reports()
    try await withControlServer(operations, report: { reports.add($0) }) { socket in
      let answer = try await curl(socket, "/v1/status")
      #expect(answer.status == 500 && !answer.text.contains("ledger"))
    }
    #expect(reports.all.count == 1 && reports.all[0].contains("ledger"))
  }
}
