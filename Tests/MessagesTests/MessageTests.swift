import ChildProcesses
import MessageLiterals
import Testing

@testable import Messages

/// The type of a message: its words, its JSON, and what is done with the texts in it.
@Suite struct MessageTests {
  private static let gone = Message.spoolDisappeared(path: "/A B\"\n/é")
  private static let whole = Message.stepQuestion(step: "register", name: "A.PDF", why: gone)

  @Test func theWordsAreThoseOfTheTable() {
    #expect(Message.spoolDisappeared(path: "/srv/a.pdf").text == "the spool directory /srv/a.pdf has disappeared")
    #expect(
      Message.stepQuestion(step: "upload", name: "a.pdf", why: .spoolDisappeared(path: "b")).text
        == "Upload of a.pdf failed: the spool directory b has disappeared. Retry?")
    #expect(Message.inFlight(step: "register").text == "its registration is in flight, and goes on with the answer")
  }

  /// A message without arguments is one by its code as well, and no literal.
  @Test func aCodeAloneIsNoText() {
    #expect(Message.gateThrottled.code == "gate-throttled" && Message.gateThrottled.text == "too many requests (429)")
    #expect(("gate-throttled" as Message) == .text("gate-throttled"))
  }

  /// A server's words may end with a full stop.
  @Test func aClauseHasNoFullStop() {
    let question = Message.stepQuestion(
      step: "upload", name: "a.pdf", why: .httpStatusSaid(status: 422, said: "It is taken."))
    #expect(question.text == "Upload of a.pdf failed: HTTP 422: It is taken. Retry?")
  }

  @Test func spansAndSizesAreInUnits() {
    #expect(Message.triedAgain(time: .seconds(90 * 60)).text == "it is tried again every 1h 30min")
    #expect(Message.stalled(peer: "x", time: .milliseconds(2500)).text == "x moved no byte for 2.5 seconds")
    #expect(
      Message.spaceShort(free: 12_897_485, directory: "/var", least: 1 << 30).text
        == "no new files are admitted: 12.3 MiB are free for the ledger in /var, and min_free is 1 GiB")
  }

  @Test func jsonIsInOneForm() {
    #expect(
      Message.stepDeferred(step: "upload", name: "a", why: .stalled(peer: "x", time: .milliseconds(2500))).json
        == #"{"arguments":{"name":"a","step":"upload","why":{"arguments":{"peer":"x","time":{"seconds":2.5}},"code":"stalled"}},"code":"step-deferred"}"#
    )
    #expect(Message.gateThrottled.json == #"{"arguments":{},"code":"gate-throttled"}"#)
  }

  @Test(arguments: [
    gone, whole, .text("it's {\"text\":1} \u{1} \\ é 😀"), .spaceShort(free: 1, directory: "/v", least: 2),
    .triedAgainAt(at: "2026-11-21T00:00:00Z"), .triedAgain(time: .microseconds(1_500_001)),
    .nextTryNetworkWay(hold: .isPaused(target: "x"), at: "2026-11-21T00:00:00Z", way: .getFirst(url: "https://x")),
  ])
  func whatIsKeptIsReadAsItWas(message: Message) {
    #expect(Message(stored: message.stored) == message)
    #expect(Message(json: message.json) == message)
  }

  /// As those of another program are, and of a version that has other codes.
  @Test func wordsThatWereKeptWithoutACodeAreWords() {
    for words in ["", "it failed", "{", #"{"text":1}"#, #"{"code":"spool-disappeared"}"#, #"{"text":"a"}x"#] {
      #expect(Message(stored: words) == .text(words))
    }
    #expect(Message(stored: #"{"text":"a b","code":"of-the-future","arguments":{}}"#) == .text("a b"))
    for json in [
      "it failed", #"{"arguments":{"a":01},"code":"x"}"#,
      #"{"arguments":{"a":2.},"code":"x"}"#, #"{"arguments":{"a":{}},"code":"x"}"#,
      #"{"arguments":{"a":"\u00+1"},"code":"x"}"#,
      "{\"arguments\":{\"a\":\"\n\"},\"code\":\"x\"}", #"{"arguments":{"a":1,"a":2},"code":"x"}"#,
    ] { #expect(Message(json: json) == nil, "\(json)") }
    #expect(Message(json: #"{"code":"x"}"#) == nil)
    #expect(Message(json: #"{"arguments":{},"code":"x","of-the-future":[1]}"#) == Message(code: "x"))
    let deep = String(repeating: #"{"arguments":{"a":"#, count: 10_000)
    #expect(Message(json: deep) == nil)
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
    #expect(Message(json: #"{"arguments":{"path":\#(value)},"code":"spool-disappeared"}"#) == nil)
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
