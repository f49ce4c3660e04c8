import ChildProcesses
import ControlTesting
import ControlServer
import Glibc
import Jobs
import Testing

/// The control socket as an operator uses it: with curl.
@Suite(.slot)
struct CurlTests {
  /// Calls curl; answers body and status.
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

  @Test func answersStatus() async throws {
    let jobs = InMemoryJobs()
    try await jobs.add(FileName("a.pdf"), .begin, .asks)
    try await withControlServer(jobs.operations) { socket in
      let answer = try await curl(socket, "/v1/status")
      #expect(answer.status == 200)
      #expect(answer.text.contains(#""awaiting-confirmation":1"#))
      #expect(answer.text.contains(#""uptime":7322"#))
    }
  }

  @Test func filtersAndPagesJobs() async throws {
    let jobs = InMemoryJobs()
    for number in 1...5 { try await jobs.add(FileName("\(number).pdf")) }
    try await jobs.add(FileName("6.txt"), .begin, .asks)
    try await withControlServer(jobs.operations) { socket in
      let first = try await curl(socket, "/v1/jobs?name=*.pdf&limit=3")
      #expect(first.text.contains(#""job":3"#) && !first.text.contains(#""job":4"#))
      #expect(first.text.hasSuffix(#""next":"j3"}"#))
      let last = try await curl(socket, "/v1/jobs?name=*.pdf&limit=3&after=j3")
      #expect(last.text.contains(#""job":5"#) && last.text.hasSuffix(#""next":null}"#))
      let full = try await curl(socket, "/v1/jobs?state=awaiting-confirmation,aborted&limit=1")
      #expect(full.text.contains(#""name":"6.txt""#) && full.text.hasSuffix(#""next":null}"#))
      #expect(try await curl(socket, "/v1/jobs?state=registered").text == #"{"jobs":[],"next":null}"#)
      let typo = try await curl(socket, "/v1/jobs?sate=queued")
      #expect(typo.status == 400 && typo.text.contains(#"parameter \"sate\" is not known"#))
    }
  }

  @Test func filtersAndPagesLog() async throws {
    let jobs = InMemoryJobs()
    for number in 1...5 { try await jobs.add(FileName("\(number).pdf")) }
    try await jobs.add(FileName("6.txt"), .begin, .asks)
    try await withControlServer(jobs.operations) { socket in
      let newest = try await curl(socket, "/v1/log?event=admitted&limit=2")
      #expect(newest.status == 200 && newest.text.contains(#""id":6,"#) && newest.text.contains(#""id":5,"#))
      #expect(newest.text.hasSuffix(#""last":7,"next":"5"}"#), "\(newest.text)")
      let older = try await curl(socket, "/v1/log?event=admitted&limit=2&after=5")
      #expect(older.text.contains(#""id":4,"#) && older.text.hasSuffix(#""last":7,"next":"3"}"#))
      let oldest = try await curl(socket, "/v1/log?order=oldest&name=.TXT")
      #expect(oldest.text.contains(#""event":"question""#) && oldest.text.hasSuffix(#""next":null}"#))
      #expect(try await curl(socket, "/v1/log?by=*").text == #"{"events":[],"last":7,"next":null}"#)
      for (query, word) in [
        ("evnt=x", #"parameter \"evnt\" is not known"#), ("event=x", #"event \"x\" is not known"#),
        ("since=x", #"since \"x\" is not a time"#), ("limit=0", "limit has to be"), ("by=", "by needs a value"),
        ("order=up", "order has to be"), ("after=x", "after has to be"), ("spool=a&spool=b", "more than once"),
      ] {
        let wrong = try await curl(socket, "/v1/log?" + query)
        #expect(wrong.status == 400 && wrong.text.contains(word), "\(query): \(wrong.text)")
      }
      #expect(try await curl(socket, "/v1/log", "-d", "{}").status == 405)
    }
  }

  @Test func findsJobByNumberAndID() async throws {
    let jobs = InMemoryJobs()
    let number = try await jobs.add(FileName("a.pdf"), .begin, .uploads, .begin, .registers)
    let id = try #require(await jobs.job(number)).ticket.id
    try await withControlServer(jobs.operations) { socket in
      let byNumber = try await curl(socket, "/v1/jobs/1")
      #expect(byNumber.text.contains(#""state":"registered""#) && byNumber.text.contains(#""location":"/documents/1""#))
      #expect(try await curl(socket, "/v1/jobs/\(id)").text == byNumber.text)
      #expect(try await curl(socket, "/v1/jobs/\(id.description.uppercased())").text == byNumber.text)
    }
  }

  @Test func repeatedCommandConflicts() async throws {
    let jobs = InMemoryJobs()
    try await jobs.add(FileName("a.pdf"), .begin, .asks)
    try await withControlServer(jobs.operations) { socket in
      let confirmed = try await curl(socket, "/v1/jobs/1/confirm", "-X", "POST")
      #expect(confirmed.status == 200 && confirmed.text.contains(#""message":"a.pdf queued for upload""#))
      #expect(confirmed.text.contains(#""state":"queued""#))

      let again = try await curl(socket, "/v1/jobs/1/confirm", "-d", "{}")
      #expect(again.status == 409)
      let user = "user\(getuid())"
      for member in [
        #""state":"queued""#, #""revision":4"#, #""last_change":{"at":"2026-11-21T"#, #""user":"\#(user)"}"#,
      ] {
        #expect(again.text.contains(member), "\(again.text)")
      }
      let cancelled = try await curl(socket, "/v1/jobs/1/cancel", "-d", #"{"reason":"wrong file","revision":4}"#)
      #expect(cancelled.text.contains(#""message":"Upload of a.pdf cancelled by \#(user)""#))
      let stale = try await curl(socket, "/v1/jobs/1/retry", "-d", #"{"revision":4}"#)
      #expect(
        stale.status == 409 && stale.text.contains(#""revision":5"#) && stale.text.contains(#""state":"cancelled""#))
      #expect(try await curl(socket, "/v1/jobs/1/retry", "-d", #"{"revision":5}"#).status == 200)
      let history = try await curl(socket, "/v1/jobs/1").text
      #expect(history.contains(#""by_user":"\#(user)","event":"cancelled","reason":"wrong file""#))
    }
  }

  @Test func answersManyJobsAtOnce() async throws {
    let jobs = InMemoryJobs()
    for number in 1...3 { try await jobs.add(FileName("\(number).pdf"), .begin, .asks) }
    try await jobs.add(FileName("4.pdf"), .begin, .aborts)
    try await withControlServer(jobs.operations) { socket in
      #expect(try await curl(socket, "/v1/jobs/confirm", "-X", "POST").status == 400)
      #expect(try await curl(socket, "/v1/jobs/confirm", "-d", "{}").status == 400)
      let list = try await curl(socket, "/v1/jobs/confirm", "-d", #"{"jobs":[1,4,99]}"#)
      #expect(list.text.hasPrefix(#"{"done":1,"left":null,"refusals":["#), "\(list.text)")
      #expect(list.text.hasSuffix(#""refused":2}"#), "\(list.text)")
      let filter = try await curl(socket, "/v1/jobs/cancel", "-d", #"{"state":"awaiting-confirmation"}"#)
      #expect(filter.text == #"{"done":2,"left":null,"refusals":[],"refused":0}"#)
      #expect(try await curl(socket, "/v1/jobs/retry", "-d", #"{"all":true}"#).text.hasPrefix(#"{"done":1,"#))
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

  /// A script whose variable had no value means one thing, and not all.
  @Test(arguments: [
    ("pause", #"{"spool":null}"#), ("resume", #"{"backend":null}"#), ("pause", #"{"storage":"main","spool":null}"#),
    ("resume", #"{"destination":null}"#), ("jobs/cancel", #"{"state":"awaiting-confirmation","spool":null}"#),
    ("jobs/discard", #"{"state":"awaiting-confirmation","name":null}"#), ("jobs/cancel", #"{"all":true,"jobs":null}"#),
    ("jobs/retry", #"{"all":null}"#),
  ]) func refusesNullValues(_ path: String, _ body: String) async throws {
    let jobs = InMemoryJobs()
    try await jobs.add(FileName("a.pdf"), .begin, .asks)
    try await withControlServer(jobs.operations) { socket in
      let answer = try await curl(socket, "/v1/\(path)", "-d", body)
      #expect(answer.status == 400 && answer.text.contains("null"), "\(answer)")
      #expect(try await curl(socket, "/v1/status").text.contains(#""pauses":[]"#))
    }
    #expect(await jobs.job(JobNumber(rawValue: 1))?.state == .awaitingConfirmation)
  }

  @Test(arguments: ["pause", "resume"]) func pauseAndResumeNeedBody(command: String) async throws {
    try await withControlServer(InMemoryJobs().operations) { socket in
      let empty = try await curl(socket, "/v1/\(command)", "-X", "POST")
      #expect(empty.status == 400 && empty.text.contains("Say what is meant"), "\(empty)")
      #expect(try await curl(socket, "/v1/status").text.contains(#""pauses":[]"#))
      #expect(try await curl(socket, "/v1/\(command)", "-d", "{}").status == 200)
    }
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

  @Test func cancelMessageNamesCancelledStep() async throws {
    let jobs = InMemoryJobs()
    for name in ["a.pdf", "b.pdf"] { try await jobs.add(FileName(name), .begin, .uploads) }
    try await withControlServer(jobs.operations) { socket in
      let kept = try await curl(socket, "/v1/jobs/1/cancel", "-d", #"{"remove":false}"#).text
      #expect(kept.contains(#""message":"Registration of a.pdf cancelled by "#) && kept.contains(#""step":"register""#))
      #expect(kept.contains(#""remote":"object-left""#) && kept.contains(#""link":"s3://documents/a""#), "\(kept)")
      let removed = try await curl(socket, "/v1/jobs/2/cancel", "-d", #"{"remove":true}"#).text
      #expect(removed.contains(#""message":"Registration of b.pdf cancelled by "#), "\(removed)")
      #expect(removed.contains(#""step":"upload""#) && removed.contains(#""link":null"#))
      #expect(removed.contains(#""remote":"pending""#))
    }
  }

  @Test func releasesOrDiscardsEndedJobs() async throws {
    let jobs = InMemoryJobs()
    for number in 1...4 { try await jobs.add(FileName("\(number).pdf"), .begin, .aborts) }
    try await jobs.add(FileName("5.pdf"), .begin, .asks)
    try await withControlServer(jobs.operations) { socket in
      let user = "user\(getuid())"
      let released = try await curl(socket, "/v1/jobs/1/release", "-d", #"{"to":"/srv/back"}"#)
      #expect(released.status == 200 && released.text.contains(#""message":"1.pdf released by \#(user)""#))
      #expect(released.text.contains(#""state":"discarded""#) && released.text.contains(#""path":null"#))
      #expect(try await curl(socket, "/v1/jobs/1/release", "-d", #"{"to":"/srv/back"}"#).status == 409)
      #expect(try await curl(socket, "/v1/jobs/2/release", "-X", "POST").status == 400)
      #expect(try await curl(socket, "/v1/jobs/2/release", "-d", #"{"to":"back"}"#).status == 400)
      #expect(try await curl(socket, "/v1/jobs/release", "-d", #"{"all":true}"#).status == 404)
      let discarded = try await curl(socket, "/v1/jobs/2/discard", "-X", "POST")
      #expect(discarded.text.contains(#""message":"2.pdf discarded by \#(user)""#))
      #expect(try await curl(socket, "/v1/jobs/5/discard", "-X", "POST").status == 409)
      let many = try await curl(socket, "/v1/jobs/discard", "-d", #"{"state":"aborted"}"#)
      #expect(many.text == #"{"done":2,"left":null,"refusals":[],"refused":0}"#)
    }
  }

  @Test func headHasNoBody() async throws {
    try await withControlServer(InMemoryJobs().operations) { socket in
      let answer = try await curl(socket, "/v1/status", "-I")
      #expect(answer.status == 200 && answer.text.lowercased().contains("content-length: "))
    }
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
