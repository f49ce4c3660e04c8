import ControlAPI
import Jobs
import MessageLiterals
import Testing

struct MessageTests {
  static func job(_ name: FileName = FileName("a/b.pdf"), number: Int64 = 42) -> Job {
    let ticket = Ticket(
      id: JobID(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0001), spool: "documents", name: name,
      storage: "main", backend: "main", bucket: "documents", key: "k", contentType: "application/pdf",
      metadata: ["author": "anna"], priority: 0, createdAt: Timestamp(microseconds: 1_790_000_000_123_456))
    let identity = FileIdentity(device: 1, inode: 2, size: 4096, modified: 3, changed: 4)
    return Job(number: JobNumber(rawValue: number), ticket: ticket, identity: identity)
  }

  @Test func messageReportsFailureAndQuestion() throws {
    var job = Self.job()
    let failure = Failure(.throttled, "HTTP 429", status: 429, code: "SlowDown", retryAfter: .milliseconds(1500))
    _ = try job.apply(.begin, now: Timestamp(seconds: 1), steady: Timestamp(seconds: 1))
    _ = try job.apply(
      .finished(attempt: 1, .failed(failure, .wait(after: .seconds(30)))), now: Timestamp(seconds: 2),
      steady: Timestamp(seconds: 2))
    let message = JobMessage(
      job, path: "/x", heldBy: HoldMessage(destination: "storage.main", reason: "throttled"),
      clockOffset: .seconds(1000))
    #expect(message.error?.kind == .throttled)
    #expect(message.error?.retryAfter == 1.5)
    #expect(message.nextAttemptAt == Timestamp(seconds: 1032))
  }

  @Test func nonTextNameIncludesBytes() throws {
    let message = JobMessage(Self.job(FileName(bytes: [0x61, 0xFF])), path: nil, heldBy: nil)
    #expect(message.name == "a\\xff")
    #expect(message.nameBase64 == "Yf8=")
  }

  @Test func conflictReportsStateAndLastChange() throws {
    let (job, anna) = (Self.job(), CallerMessage(Caller(uid: 7, user: "anna")))
    var problem = ProblemDocument(.wrongState, saying: "no")
    (problem.state, problem.revision) = (job.state, job.revision)
    problem.lastChange = .init(at: job.updatedAt, by: anna)
    let bytes = problem.json()
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"code":"wrong-state","detail":"no","#
        + #""last_change":{"at":"2026-09-21T14:13:20.123Z","by":{"uid":7,"user":"anna"}},"#
        + #""revision":1,"state":"queued","status":409,"title":"Conflict","type":"about:blank"}"#)
    #expect(try ProblemDocument(bytes: bytes).json() == bytes)
  }
}
