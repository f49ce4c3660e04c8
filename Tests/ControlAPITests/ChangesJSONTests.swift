import ChildProcesses
import ControlAPI
import Jobs
import MessageLiterals
import Messages
import Testing

/// The answer that is written by hand is, byte for byte, the one that the encoder makes.
@Suite(.aside) struct ChangesJSONTests {
  private static let texts = [
    "a/b.pdf", "", "\"\\/", "\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}", "ä日\u{10FFFF}", "\u{2028}\u{202E}</script>",
    "e\u{301}\u{1F468}\u{200D}\u{1F469}",
  ]

  private static func answer(_ text: String) throws -> ChangesMessage {
    let occurrence = Occurrence(
      .gateOpened, of: .ledger, at: Timestamp(microseconds: 1_790_000_000_123_456), message: .text(text),
      reason: .text(text))
    var bare = ChangesMessage.Event(EventMessage(occurrence))
    (bare.reason, bare.spool, bare.destination) = (nil, nil, nil)
    var full = bare
    (full.step, full.job, full.revision, full.by) = (
      "upload", 42, Int64.max, CallerMessage(Caller(uid: .max, user: text))
    )
    (full.spool, full.destination, full.reason) = (text, text, text)
    full.messageSaid = .triedAgainAtFor(
      at: "2026-11-21T00:00:00Z", why: .stalled(peer: text, time: .milliseconds(2500)))
    full.reasonSaid = .spaceShort(free: 1, directory: text, least: 2)

    var job = MessageTests.job(FileName(text))
    let queued = JobMessage(
      job, path: text, heldBy: HoldMessage(destination: "storage.main", reason: text), clockOffset: .seconds(1))
    let failure = Failure(.throttled, .text(text), status: 429, code: text, retryAfter: .milliseconds(1500))
    _ = try job.apply(.begin, now: Timestamp(seconds: 1), steady: Timestamp(seconds: 1))
    _ = try job.apply(
      .finished(attempt: 1, .failed(failure, .wait(after: .seconds(30)))), now: Timestamp(seconds: 2),
      steady: Timestamp(seconds: 2))
    var failed = JobMessage(job, path: nil, heldBy: nil)
    failed.groupFiles = 7
    (failed.link, failed.question, failed.nameBase64) = (text, text, "Yf8=")
    failed.questionSaid = .recoveredMany(count: 7)
    (failed.remote, failed.finishedAt, failed.disposedAt) = (.pending, failed.createdAt, failed.updatedAt)
    failed.released = .init(Release(to: text, by: Caller(uid: 7, user: text)))
    return ChangesMessage(
      ledger: LedgerIdentityMessage(uuid: text, generation: 3), reset: true, events: [bare, full], upTo: 7, last: -1,
      all: false, jobs: [queued, failed], gone: [1, 2], seen: text, more: true)
  }

  /// Events and jobs that are written as they are made stand where those of an answer do.
  @Test(arguments: texts) func valuesWrittenOneByOneMatchEncoder(text: String) throws {
    let answer = try Self.answer(text)
    var head = answer
    (head.events, head.jobs) = ([], [])
    let bytes = try head.json { text in
      for event in answer.events { text.value(event) }
    } jobs: { text in
      for job in answer.jobs { try text.value(job) }
    }
    #expect(try bytes == ControlJSON.encode(answer))
  }

  @Test func errorWhileWritingIsThrown() throws {
    let answer = try Self.answer("x")
    #expect(throws: CancellationError.self) {
      try answer.json { _ in
      } jobs: { _ in
        throw CancellationError()
      }
    }
  }

  @Test func emptyResponseHasEmptyArrays() throws {
    var answer = try Self.answer("x")
    (answer.events, answer.jobs, answer.gone) = ([], [], [])
    let bytes = try answer.json { _ in
    } jobs: { _ in
    }
    #expect(try bytes == ControlJSON.encode(answer))
  }

  @Test(arguments: texts) func jobPageMatchesEncoder(text: String) throws {
    for next in [nil, text] {
      let page = JobPage(jobs: try Self.answer(text).jobs, next: next)
      let bytes = try page.json()
      #expect(try bytes == ControlJSON.encode(page))
    }
  }

  @Test func jobEventMatchesStream() {
    var job = MessageTests.job(FileName("a.pdf"))
    job.revision = 7
    for kind in JobEvent.Kind.allCases {
      var event = JobEvent(
        at: Timestamp(seconds: 1), kind: kind, step: .register, job: job, by: Caller(uid: 1000, user: "anna"),
        reason: "wrong file")
      event.sequence = 9
      let message = EventMessage(event, job: JobMessage(job, path: nil, heldBy: nil))
      #expect(ChangesMessage.Event(event) == ChangesMessage.Event(message))
    }
  }
}
