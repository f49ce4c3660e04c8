import Jobs
import MessageLiterals
import Messages
import Settings
import Testing

@testable import Reports

struct NoticeQueueTests {
  /// A queue that a macro can look at while it changes.
  private final class Queue {
    private var queue = NoticeQueue()
    var due: Timestamp? { queue.due }
    var failures: Int { queue.failures }
    func add(_ notices: Notice...) { queue.add(notices) }
    func add(_ notices: [Notice]) { queue.add(notices) }
    func retryNow() { queue.retryNow() }
    func nextBatch(_ now: Timestamp) -> NoticeQueue.Batch? { queue.nextBatch(now: now) }
    func taken(_ now: Timestamp) throws -> NoticeQueue.Batch { try #require(nextBatch(now)) }
    func end(_ outcome: NoticeQueue.Outcome, now: Timestamp, retryAfter: Duration = .zero) {
      queue.end(outcome, now: now, retryAfter: retryAfter)
    }
  }

  private func at(_ seconds: Double) -> Timestamp { Timestamp(microseconds: Int64(seconds * 1e6)) }
  private func notice(_ number: Int) -> Notice { Notice("question", .question, at: at(0), message: "\(number)") }

  @Test func sendsFirstImmediatelyAndGathersRest() throws {
    let queue = Queue()
    #expect(queue.due == nil && queue.nextBatch(at(0)) == nil)
    queue.add(notice(1))
    let first = try queue.taken(at(5))
    #expect(first.notices.map(\.message.text) == ["1"] && first.number == 1)
    queue.add(notice(2))
    #expect(queue.due == nil, "one at a time")
    queue.end(.delivered, now: at(6))
    #expect(queue.due == at(16) && queue.nextBatch(at(15)) == nil)
    queue.add(notice(3))
    #expect(try queue.taken(at(16)).notices.map(\.message.text) == ["2", "3"])
    queue.end(.delivered, now: at(17))
    #expect(queue.due == nil)
  }

  @Test func failedRequestRetriesWithDoublingPauses() throws {
    let queue = Queue()
    queue.add(notice(1))
    let first = try queue.taken(at(0))
    var now = at(0)
    for pause in [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
      queue.end(.failed, now: now)
      queue.add(notice(2))
      #expect(queue.due == now + .seconds(pause))
      now = now + .seconds(pause)
      #expect(queue.nextBatch(now) == first)
    }
    #expect(queue.failures == 11)
    queue.end(.delivered, now: now)
    #expect(queue.failures == 0)
    #expect(try queue.taken(now + .seconds(10)).number == 2)
  }

  @Test func receiverSetsPauseWithinLimit() throws {
    for (asked, waited) in [(0, 1), (30, 30), (86_400, 300)] {
      let queue = Queue()
      queue.add(notice(1))
      _ = queue.nextBatch(at(0))
      queue.end(.failed, now: at(0), retryAfter: .seconds(asked))
      #expect(queue.due == at(Double(waited)))
    }
  }

  @Test func nextRequestCountsRefusedNotices() throws {
    let queue = Queue()
    for number in 1...3 { queue.add(notice(number)) }
    _ = queue.nextBatch(at(0))
    queue.end(.refused, now: at(0))
    #expect(queue.due == nil && queue.failures == 1)
    queue.add(notice(4))
    let next = try queue.taken(at(10))
    #expect(next.notices.map(\.message.text) == ["4"] && next.leftOut == 3)
    queue.end(.delivered, now: at(10))
    queue.add(notice(5))
    #expect(try queue.taken(at(20)).leftOut == 0)
  }

  @Test func boundsMemoryAndRequests() throws {
    let queue = Queue()
    queue.add((1...900).map(notice))
    queue.add((901...1500).map(notice))
    queue.add(notice(1501))
    let first = try queue.taken(at(0))
    #expect(first.notices.count == 100 && first.notices.first?.message.text == "502" && first.leftOut == 501)
    queue.end(.delivered, now: at(0))
    #expect(try queue.taken(at(10)).notices.first?.message.text == "602")
  }

  @Test func boundsRequestBytesExceptSingleNotice() throws {
    let queue = Queue()
    let (small, large) = (String(repeating: "a", count: 60 << 10), String(repeating: "b", count: 1 << 20))
    queue.add([small, small, small, large, small].map { Notice("problem", .problem, at: at(0), message: .text($0)) })
    for (time, expected) in [(0.0, [small, small]), (10, [small]), (20, [large]), (30, [small])] {
      #expect(try queue.taken(at(time)).notices.map(\.message.text) == expected)
      queue.end(.delivered, now: at(time))
    }
    #expect(queue.due == nil)
  }

  @Test func newSettingsEndRetryPause() throws {
    let queue = Queue()
    queue.add(notice(1))
    let first = try queue.taken(at(0))
    queue.end(.failed, now: at(0), retryAfter: .seconds(300))
    #expect(queue.nextBatch(at(1)) == nil)
    queue.retryNow()
    #expect(queue.nextBatch(at(1)) == first)
    queue.end(.delivered, now: at(1))
    queue.add(notice(2))
    queue.retryNow()
    #expect(queue.due == at(11), "without a failure, notices are gathered as ever")
  }

  @Test(arguments: [
    (200, NoticeQueue.Outcome.delivered), (204, .delivered), (299, .delivered),
    (400, .refused), (413, .refused), (415, .refused), (422, .refused),
    (301, .failed), (401, .failed), (403, .failed), (404, .failed), (410, .failed), (407, .failed), (408, .failed),
    (429, .failed),
    (500, .failed), (503, .failed),
  ])
  func onlyBodyErrorsCountAsRefused(status: Int, outcome: NoticeQueue.Outcome) {
    #expect(NoticeQueue.Outcome(status: status) == outcome)
  }
}

struct ReceiverTests {
  @Test(arguments: [
    ("https://hc-ping.com/secret?x", "https://hc-ping.com"), ("http://kim:secret@h:8080/p", "http://h:8080"),
    ("https://h?secret", "https://h"),
  ])
  func hidesSecretPartOfURL(url: String, shown: String) { #expect(Notices.shown(url) == shown) }
}
