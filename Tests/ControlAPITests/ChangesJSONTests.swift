import ControlAPI
import Jobs
import Testing

/// The answer that is written by hand is, byte for byte, the one that the encoder makes.
struct ChangesJSONTests {
  private static let texts = [
    "a/b.pdf", "", "\"\\/", "\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}", "ä日\u{10FFFF}", "\u{2028}\u{202E}</script>",
    "e\u{301}\u{1F468}\u{200D}\u{1F469}",
  ]

  private static func answer(_ text: String) throws -> ChangesMessage {
    let occurrence = Occurrence(
      .gateOpened, of: .ledger, at: Timestamp(microseconds: 1_790_000_000_123_456), message: text, reason: text)
    var bare = ChangesMessage.Event(EventMessage(occurrence))
    (bare.reason, bare.spool, bare.destination) = (nil, nil, nil)
    var full = bare
    (full.step, full.job, full.revision, full.by) = ("upload", 42, Int64.max, text)
    (full.spool, full.destination, full.reason) = (text, text, text)

    var job = MessageTests.job(FileName(text))
    let queued = JobMessage(
      job, path: text, heldBy: HoldMessage(destination: "storage.main", reason: text), clockOffset: .seconds(1))
    let failure = Failure(.throttled, text, status: 429, code: text, retryAfter: .milliseconds(1500))
    _ = try job.apply(.begin, now: Timestamp(seconds: 1), steady: Timestamp(seconds: 1))
    _ = try job.apply(
      .finished(attempt: 1, .failed(failure, .wait(after: .seconds(30)))), now: Timestamp(seconds: 2),
      steady: Timestamp(seconds: 2))
    var failed = JobMessage(job, path: nil, heldBy: nil)
    failed.groupFiles = 7
    (failed.link, failed.question, failed.nameBase64) = (text, text, "Yf8=")
    (failed.remote, failed.finishedAt, failed.disposedAt) = (.pending, failed.createdAt, failed.updatedAt)
    return ChangesMessage(
      ledger: LedgerIdentityMessage(uuid: text, generation: 3), reset: true, events: [bare, full], upTo: 7, last: -1,
      all: false, jobs: [queued, failed], gone: [1, 2], seen: text, more: true)
  }

  @Test(arguments: texts) func itIsTheEncodersOwn(text: String) throws {
    let answer = try Self.answer(text)
    #expect(try answer.json() == ControlJSON.encode(answer))
  }

  @Test func nothingIsEmptyArrays() throws {
    var answer = try Self.answer("x")
    (answer.events, answer.jobs, answer.gone) = ([], [], [])
    #expect(try answer.json() == ControlJSON.encode(answer))
  }
}
