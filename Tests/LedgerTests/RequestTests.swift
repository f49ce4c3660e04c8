import Jobs
import SQLite
import Testing

@testable import Ledger

/// Requests that carry a key are remembered, for a day and through restarts.
struct RequestTests {
  private let request = RequestKey(uid: 1000, text: "k")
  private let answer = RequestAnswer(status: 200, body: Array(#"{"a":1}"#.utf8))

  @Test func repeatedRequestReturnsStoredAnswer() async throws {
    let box = try LedgerBox()
    do {
      let ledger = try box.open()
      #expect(try await ledger.begin(request, fingerprint: "a") == .none)
      #expect(try await ledger.begin(request, fingerprint: "a") == .open)
      try await ledger.end(request, answer)
      try ledger.close()
    }
    let next = try box.open()
    #expect(try await next.begin(request, fingerprint: "a") == .answered(answer))
    #expect(try await next.begin(request, fingerprint: "b") == .another)
    #expect(try await next.begin(RequestKey(uid: 0, text: "k"), fingerprint: "b") == .none, "another user's key")
    try next.close()
  }

  @Test func interruptedRequestStaysOpen() async throws {
    let box = try LedgerBox()
    do {
      let ledger = try box.open()
      #expect(try await ledger.begin(request, fingerprint: "a") == .none)
      try ledger.close()
    }
    let next = try box.open()
    #expect(try await next.begin(request, fingerprint: "a") == .open)
    try await next.forget(request)
    #expect(try await next.begin(request, fingerprint: "b") == .none)
    try next.close()
  }

  @Test func requestIsForgottenAfterDay() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    #expect(try await ledger.begin(request, fingerprint: "a") == .none)
    try await ledger.end(request, answer)
    box.time.pass(JobLedger.requestsKept)
    #expect(try await ledger.begin(request, fingerprint: "a") == .answered(answer))
    box.time.pass(.milliseconds(1))
    #expect(try await ledger.begin(request, fingerprint: "a") == .none)
    try ledger.close()
  }

  @Test func excessRequestsForgetOldest() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    try await withThrowingTaskGroup { group in
      for number in 0..<JobLedger.mostRequests {
        group.addTask {
          let key = RequestKey(uid: 1000, text: "\(number)")
          _ = try await ledger.begin(key, fingerprint: "a")
          if number > 0 { try await ledger.end(key, RequestAnswer(status: 200, body: [])) }
        }
      }
      try await group.waitForAll()
    }
    let other = RequestKey(uid: 7, text: "k")
    #expect(try await ledger.begin(other, fingerprint: "a") == .none)
    try await ledger.end(other, answer)
    box.time.pass(.seconds(1))
    for text in ["k", "l"] {
      #expect(try await ledger.begin(RequestKey(uid: 1000, text: text), fingerprint: "a") == .none)
    }
    let count: Int64? = try await ledger.pool.read { try $0.value("SELECT count(*) FROM request") }
    // one that is not answered, and those of others, are kept
    #expect(count.map { (Int64(JobLedger.mostRequests)...Int64(JobLedger.mostRequests + 2)).contains($0) } == true)
    #expect(try await ledger.begin(other, fingerprint: "a") == .answered(answer))
    #expect(try await ledger.begin(RequestKey(uid: 1000, text: "0"), fingerprint: "a") == .open)
    #expect(try await ledger.begin(request, fingerprint: "a") == .open)
    try ledger.close()
  }
}
