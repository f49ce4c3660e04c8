import Jobs
import MessageLiterals
import Messages
import Testing

@testable import Reports

/// Which events are told and which are folded, as a table of times: no test waits.
@Suite struct JournalFoldingTests {
  private typealias Reason = JournalFolding.Reason

  private let start = Timestamp(microseconds: 1_000_000)

  private func at(_ seconds: Double) -> Timestamp { start + .microseconds(Int64(seconds * 1_000_000)) }

  private let question = Reason(event: .job(.question), spool: "a", step: .upload, kind: .transient, status: 500)

  /// A burst of so many at the start, then how many are told, and how many are in the fold at the window's end.
  @Test(arguments: [(1, 1, nil), (20, 20, nil), (21, 20, 1), (60, 20, 40), (5000, 20, 4980)])
  func burstReportsTwentyThenFolds(_ count: Int, _ told: Int, _ folded: Int?) {
    var folding = JournalFolding()
    let answers = (0..<count).map { folding.add(question, "HTTP 500", at: at(Double($0) / 1000)) }
    #expect(answers.filter(\.isTold).count == told)
    #expect(answers.prefix(20).allSatisfy { $0.isTold })
    #expect(answers.allSatisfy { $0.ended == nil })
    #expect(folding.nextEnd == (folded == nil ? nil : at(10)), "no timer where nothing is folded")
    #expect(folding.end(at: at(9.9)).isEmpty)
    #expect(folding.end(at: at(10)).first?.count == folded)
    #expect(folding.nextEnd == nil)
  }

  @Test func reportsAllSlowEvents() {
    var folding = JournalFolding()
    for index in 0..<200 { #expect(folding.add(question, "HTTP 500", at: at(Double(index) * 0.6)).isTold) }
    #expect(folding.endAll().isEmpty)
  }

  /// More than a window's worth without the timer: the fold comes before the event that opens the next window.
  @Test func lateEventEndsWindow() {
    var folding = JournalFolding()
    for _ in 0..<30 { _ = folding.add(question, "HTTP 500", at: at(0)) }
    let answer = folding.add(question, "HTTP 500", at: at(11))
    #expect(answer.isTold)
    #expect(answer.ended?.count == 10)
    #expect(folding.endAll().isEmpty)
  }

  @Test func countsEachReasonSeparately() {
    var folding = JournalFolding()
    var other = question
    other.status = 502
    let aborted = Reason(event: .job(.aborted), spool: "a", step: .upload, kind: .unavailable, status: 503)
    var elsewhere = question
    elsewhere.spool = "b"
    var later = question
    later.step = .register
    for reason in [question, other, aborted, elsewhere, later] {
      for _ in 0..<20 { #expect(folding.add(reason, "HTTP 500", at: at(1)).isTold) }
      #expect(!folding.add(reason, "HTTP 500", at: at(2)).isTold)
    }
    #expect(folding.endAll().map(\.count) == [1, 1, 1, 1, 1])
  }

  @Test func foldHasReasonAndFirstMessage() throws {
    var folding = JournalFolding()
    for number in 0..<25 { _ = folding.add(question, "cannot read \(number)", words: "\(number)", at: at(0)) }
    let fold = try #require(folding.endAll().first)
    #expect(fold.reason == question && fold.message == "cannot read 20" && fold.words == "20" && fold.count == 5)
  }

  /// A server that invents a code for each answer neither fills the memory nor the journal.
  @Test func foldsEndlessReasonsByEvent() {
    var folding = JournalFolding()
    var told = 0
    for number in 0..<10_000 {
      var reason = question
      reason.code = "E\(number)"
      if folding.add(reason, "HTTP 500", at: at(Double(number) / 1000)).isTold { told += 1 }
    }
    #expect(told == JournalFolding.reasonLimit + JournalFolding.limit)
    let folds = folding.endAll()
    #expect(folds.map(\.count) == [10_000 - told] && folds.allSatisfy { $0.reason == Reason(event: question.event) })
  }

  @Test func expiredReasonsMakeRoom() {
    var folding = JournalFolding()
    for number in 0..<2000 {
      var reason = question
      reason.code = "E\(number)"
      #expect(folding.add(reason, "HTTP 500", at: at(Double(number))).isTold)
    }
  }
}
