import ChildProcesses
import ControlAPI
import Jobs
import MessageLiterals
import Messages
import Testing

/// What is made of the description of the API writes what it reads.
@Suite(.aside) struct JSONMessageTests {
  private static let texts = [
    "a/b.pdf", "", "\"\\/", "\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}", "ä日\u{10FFFF}", "\u{2028}\u{202E}</script>",
    "e\u{301}\u{1F468}\u{200D}\u{1F469}",
  ]

  private static func answer(_ text: String) throws -> ChangesMessage {
    let occurrence = Occurrence(
      .gateOpened, of: .ledger, at: Timestamp(microseconds: 1_790_000_000_123_000), message: .text(text),
      reason: .text(text))
    var bare = ChangesMessage.Event(EventMessage(occurrence))
    (bare.reason, bare.spool, bare.destination) = (nil, nil, nil)
    var full = bare
    (full.step, full.job, full.revision, full.by) = (
      .upload, 42, Int64.max, CallerMessage(Caller(uid: .max, user: text))
    )
    (full.spool, full.destination) = (text, text)
    full.message = .triedAgainAtFor(
      at: "2026-11-21T00:00:00Z", why: .stalled(peer: text, time: .milliseconds(2500)))
    full.reason = .spaceShort(free: 1, directory: text, least: 2)

    var job = MessageTests.job(FileName(text))
    job.updatedAt = Timestamp(seconds: 1)
    let queued = JobMessage(
      job, path: text, heldBy: HoldMessage(destination: "storage.main", reason: text), clockOffset: .seconds(1))
    let failure = Failure(.throttled, .text(text), status: 429, code: text, retryAfter: .milliseconds(1500))
    _ = try job.apply(.begin, now: Timestamp(seconds: 1), steady: Timestamp(seconds: 1))
    _ = try job.apply(
      .finished(attempt: 1, .failed(failure, .wait(after: .seconds(30)))), now: Timestamp(seconds: 2),
      steady: Timestamp(seconds: 2))
    var failed = JobMessage(job, path: nil, heldBy: nil)
    failed.groupFiles = 7
    (failed.link, failed.question, failed.nameBase64) = (text, .recovered(count: 7), "Yf8=")
    (failed.remote, failed.finishedAt, failed.disposedAt) = (.pending, failed.updatedAt, failed.updatedAt)
    failed.released = .init(to: text, by: CallerMessage(Caller(uid: 7, user: text)))
    failed.host = text
    return ChangesMessage(
      ledger: LedgerIdentityMessage(uuid: text, generation: 3), reset: true, events: [bare, full], upTo: 7, last: -1,
      all: false, jobs: [queued, failed], gone: [1, 2], seen: text, more: true)
  }

  /// Coded texts are read with their codes; words are read as words. A time has milliseconds.
  @Test(arguments: texts) func messagesReadWhatTheyWrite(text: String) throws {
    var answer = try Self.answer(text)
    for index in answer.jobs.indices { answer.jobs[index].createdAt = Timestamp(seconds: 1) }
    #expect(try ChangesMessage(bytes: answer.json(texts: .coded)) == answer)
    let words = try ChangesMessage(bytes: answer.json())
    #expect(words.events[1].message == .text(answer.events[1].message.text))
    #expect(try ChangesMessage(bytes: words.json()) == words)
    #expect(words.jobs[1].question == .text(Message.recovered(count: 7).text))
    let detail = CommandAnswer(job: answer.jobs[1], message: .queuedFor(name: text, step: "upload"))
    #expect(try CommandAnswer(bytes: detail.json(texts: .coded)) == detail)
  }

  @Test func missingValuesAreNullOrLeftOut() throws {
    let job = JobMessage(MessageTests.job(), path: nil, heldBy: nil)
    let text = String(decoding: job.json(), as: UTF8.self)
    #expect(text.contains(#""path":null,"#) && !text.contains("host"))
    #expect(
      String(decoding: ProblemDocument(status: 409, detail: nil).json(), as: UTF8.self).contains("detail") == false)
  }

  @Test func faultNamesMember() throws {
    let job = JobMessage(MessageTests.job(), path: nil, heldBy: nil)
    let page = String(decoding: JobPage(jobs: [job]).json(), as: UTF8.self)
    let wrong = page.replacing(#""state":"queued""#, with: #""state":"lost""#)
    do throws(JSONFault) {
      _ = try JobPage(bytes: Array(wrong.utf8))
      Issue.record("it was read")
    } catch {
      #expect(error.words.hasPrefix("jobs: state: \"lost\""), "\(error.words)")
    }
    // a kind of problem that a later version knows
    let problem = try ProblemDocument(
      bytes: Array(#"{"code":"new-kind","detail":"no","status":409,"title":"Conflict","type":"about:blank"}"#.utf8))
    #expect(problem.code == nil && problem.detail == "no")
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

  @Test func answerFormIsReadFromQueryAndHeader() throws {
    let coded = try AnswerForm(reading: "/v1/jobs?state=queued&texts=coded&limit=3", acceptLanguage: "zh-CN")
    #expect(coded.texts == .coded && coded.target == "/v1/jobs?state=queued&limit=3")
    let plain = try AnswerForm(reading: "/v1/jobs/7?texts=coded", acceptLanguage: nil)
    #expect(plain.texts == .coded && plain.target == "/v1/jobs/7")
    #expect(try AnswerForm(reading: "/v1/log", acceptLanguage: "zh-TW, en;q=0.5").texts == .words(.chinese))
    #expect(try AnswerForm(reading: "/metrics?texts=coded", acceptLanguage: nil).target == "/metrics?texts=coded")
    for wrong in ["texts=plain", "texts", "texts=coded&texts=coded"] {
      #expect(throws: InvalidRequest.self) { try AnswerForm(reading: "/v1/status?\(wrong)", acceptLanguage: nil) }
    }
  }

  /// Nothing that stands in a job, an event or a state goes to a fleet that is to see no names.
  @Test func withoutNamesNothingOfAFileIsLeft() throws {
    let secret = "secret"
    let answer = try Self.answer(secret)
    var bare = answer.withoutNames
    // the names of the ledger, of spools and of people are shown, and what a fleet adds
    bare.ledger?.uuid = ""
    bare.seen = ""
    for index in bare.events.indices {
      (bare.events[index].spool, bare.events[index].destination, bare.events[index].by) = (nil, nil, nil)
    }
    for index in bare.jobs.indices { (bare.jobs[index].host, bare.jobs[index].heldBy) = (nil, nil) }
    for form in [TextForm.coded, .words(.english), .words(.chinese)] {
      #expect(!String(decoding: bare.json(texts: form), as: UTF8.self).contains(secret))
    }
    #expect(bare.events[1].message.code == answer.events[1].message.code)
  }
}
