import ChildProcesses
import MessageLiterals
import Testing

@testable import Messages

@Suite struct MessageTests {
  private static let gone = Message.spoolDisappeared(path: "/A B\"\n/é")
  private static let whole = Message.stepQuestion(step: "register", name: "A.PDF", why: gone)

  @Test func theWordsAreThoseOfTheTable() {
    #expect(Message.spoolDisappeared(path: "/srv/a.pdf").text == "the spool directory /srv/a.pdf has disappeared")
    #expect(
      Message.stepQuestion(step: "upload", name: "a.pdf", why: .spoolDisappeared(path: "b")).text
        == "Upload of a.pdf failed: the spool directory b has disappeared. Retry?")
    #expect(Message.inFlight(step: "register").text == "its registration is in flight, and goes on with the answer")
    // A server's words may end with a full stop.
    let question = Message.stepQuestion(
      step: "upload", name: "a.pdf", why: .httpStatusSaid(status: 422, said: "It is taken."))
    #expect(question.text == "Upload of a.pdf failed: HTTP 422: It is taken. Retry?")
    // A message without arguments is one by its code as well, and no literal.
    #expect(Message.gateThrottled.code == "gate-throttled" && Message.gateThrottled.text == "too many requests (429)")
    #expect(("gate-throttled" as Message) == .text("gate-throttled"))
  }

  @Test func spansAndSizesAreInUnits() {
    #expect(Message.triedAgain(time: .seconds(90 * 60)).text == "it is tried again every 1h 30min")
    #expect(Message.stalled(peer: "x", time: .milliseconds(2500)).text == "x moved no byte for 2.5 seconds")
    #expect(
      Message.spaceShort(free: 12_897_485, directory: "/var", least: 1 << 30).text
        == "no new files are admitted: 12.3 MiB are free for the ledger in /var, and min_free is 1 GiB")
  }

  /// With units, names of the interface and messages in it in Chinese as well.
  @Test func chineseIsWhole() {
    #expect(Message.stalled(peer: "x", time: .milliseconds(2500)).text(in: .chinese).contains("2.5 秒"))
    #expect(Message.triedAgain(time: .seconds(90 * 60)).text(in: .chinese).contains("1 小时 30 分钟"))
    #expect(Message.inFlight(step: "register").text(in: .chinese).contains("登记"))
    let question = Message.stepQuestion(step: "upload", name: "a.pdf", why: .spoolDisappeared(path: "b"))
    #expect(question.text(in: .chinese).contains(Message.spoolDisappeared(path: "b").text(in: .chinese)))
    #expect(Message.text("its own words").text(in: .chinese) == "its own words")
  }

  @Test(
    arguments: [
      (nil, .english), ("", .english), ("fr", .english), ("zh", .chinese), ("zh-Hans-CN, en;q=0.9", .chinese),
      ("en-GB,zh;q=0.8", .english), ("fr, zh;q=0.5", .chinese), ("ZH", .chinese), ("zh;q=0", .english), ("*", .english),
      ("zh;q=x, en;q=0.1", .english), (",;,", .english),
    ] as [(String?, ReaderLanguage)])
  func languageIsTheReaders(header: String?, language: ReaderLanguage) {
    #expect(ReaderLanguage(acceptLanguage: header) == language)
  }

  @Test func jsonIsInOneForm() {
    let message = Message.stepDeferred(step: "upload", name: "a", why: .stalled(peer: "x", time: .milliseconds(2500)))
    #expect(
      message.stored
        == #"{"text":"Upload of a deferred: x moved no byte for 2.5 seconds","code":"step-deferred","arguments":{"name":"a","step":"upload","why":{"arguments":{"peer":"x","time":{"seconds":2.5}},"code":"stalled"}}}"#
    )
    var words = JSONText(texts: .words(.chinese))
    words.value(Message.gateThrottled)
    #expect(words.string == JSONText.quoted(Message.gateThrottled.text(in: .chinese)))
  }

  @Test(arguments: [
    gone, whole, .text("it's {\"text\":1} \u{1} \\ é 😀"), .spaceShort(free: 1, directory: "/v", least: 2),
    .triedAgainAt(at: "2026-11-21T00:00:00Z"), .triedAgain(time: .microseconds(1_500_001)),
    .inWay(
      what: .nextTry(hold: .isPaused(target: "x"), at: "2026-11-21T00:00:00Z"), way: .getFirst(url: "https://x")),
  ])
  func whatIsKeptIsReadAsItWas(message: Message) {
    #expect(Message(stored: message.stored) == message)
  }

  /// As those of another program are, and of a version that has other codes.
  @Test func wordsThatWereKeptWithoutACodeAreWords() {
    for words in ["", "it failed", "{", #"{"text":1}"#, #"{"code":"spool-disappeared"}"#, #"{"text":"a"}x"#] {
      #expect(Message(stored: words) == .text(words))
    }
    #expect(Message(stored: #"{"text":"a b","code":"of-the-future","arguments":{}}"#) == .text("a b"))
    for rest in [
      #""code":1"#, #""code":"spool-disappeared""#, #""code":"spool-disappeared","arguments":[]"#,
      #""code":"spool-disappeared","arguments":{"path":1.5}"#,
    ] { #expect(Message(stored: #"{"text":"a b",\#(rest)}"#) == .text("a b"), "\(rest)") }
    let deep = #"{"text":"a","arguments":"# + String(repeating: #"{"a":"#, count: 10_000)
    #expect(Message(stored: deep) == .text(deep))
  }

  /// Another program, or a later version, may have arguments of a form that is not known here.
  @Test(arguments: [
    "[1]", "true", "null", "1.5", "{}", #"{"seconds":"x"}"#, #"{"code":"x"}"#, #"{"code":null,"time":"x"}"#, #""a"}"#,
    #"{"bytes":1e999}"#, #"{"seconds":1e999}"#,
  ])
  func wordsStandInForUnknownArguments(value: String) {
    let stored = #"{"text":"the words","code":"spool-disappeared","arguments":{"path":\#(value)}}"#
    let isJSON = !value.hasPrefix("\"")
    #expect(Message(stored: stored) == .text(isJSON ? "the words" : stored))
  }

  /// Masking and escaping work on words as a whole.
  @Test func aChangeOfTheWordsKeepsTheCodeIfItCan() {
    let message = Message.noConnection(peer: "host", why: "refused with SECRET")
    let hide = { (text: String) in text.replacing("SECRET", with: "***") }
    #expect(message.changed(hide) == .noConnection(peer: "host", why: "refused with ***"))
    #expect(message.changed(\.self) == message)
    #expect(message.changed { String($0.prefix(6)) } == .text("no con"))
    #expect(Self.whole.changed { $0.replacing("/A", with: "/B") }.code == "step-question")
  }

  @Test func twoMessagesShareWhatIsTheSame() {
    let one = Message.stepDeferred(step: "upload", name: "a", why: .spoolDisappeared(path: "x"))
    let two = Message.stepDeferred(step: "upload", name: "b", why: .spoolDisappeared(path: "x"))
    let three = Message.stepDeferred(step: "upload", name: "b", why: .isPaused(target: "x"))
    #expect(one.shared(with: two) == .stepDeferred(step: "upload", name: "…", why: .spoolDisappeared(path: "x")))
    #expect(one.shared(with: three)?.text == "Upload of … deferred: …")
    #expect(one.shared(with: .spoolDisappeared(path: "x")) == nil)
  }
}
