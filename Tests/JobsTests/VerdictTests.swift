import ChildProcesses
import Jobs
import MessageLiterals
import Testing

/// Gives the middle of every range, so that jitter is nothing.
private struct Middle: RandomNumberGenerator {
  mutating func next() -> UInt64 { 1 << 63 }
}

private struct Row: Sendable {
  var failure: Failure
  var spent = 0
  var unavailable = RetryPolicy.OnUnavailable.abort
  var leadsTo: Verdict
}

@Suite struct VerdictTests {
  private static let delays: [Duration] = [.seconds(1), .seconds(3), .seconds(5), .seconds(10)]
  private static func failure(_ kind: Failure.Kind, retryAfter: Duration? = nil) -> Failure {
    Failure(kind, "words", retryAfter: retryAfter)
  }

  private static let table: [Row] = [
    Row(failure: failure(.unavailable), leadsTo: .abort),
    Row(failure: failure(.unavailable, retryAfter: .seconds(5)), leadsTo: .abort),
    Row(failure: failure(.unavailable), unavailable: .retry, leadsTo: .retry(after: .seconds(1))),
    Row(failure: failure(.unavailable), spent: 4, unavailable: .retry, leadsTo: .ask),
    Row(failure: failure(.credentials), leadsTo: .awaitCredentials),
    Row(failure: failure(.network), leadsTo: .awaitNetwork),
    Row(failure: failure(.throttled), leadsTo: .wait(after: .seconds(30))),
    Row(failure: failure(.throttled, retryAfter: .seconds(7)), leadsTo: .wait(after: .seconds(7))),
    Row(failure: failure(.throttled, retryAfter: .seconds(86_400)), leadsTo: .wait(after: .seconds(3600))),
    Row(failure: failure(.throttled, retryAfter: .zero), spent: 4, leadsTo: .wait(after: .seconds(1))),
    Row(failure: failure(.transient), leadsTo: .retry(after: .seconds(1))),
    Row(failure: failure(.transient), spent: 1, leadsTo: .retry(after: .seconds(3))),
    Row(failure: failure(.transient), spent: 2, leadsTo: .retry(after: .seconds(5))),
    Row(failure: failure(.transient), spent: 3, leadsTo: .retry(after: .seconds(10))),
    Row(failure: failure(.transient), spent: 4, leadsTo: .ask),
    Row(failure: failure(.transient, retryAfter: .seconds(60)), leadsTo: .retry(after: .seconds(60))),
    Row(failure: failure(.transient, retryAfter: .seconds(2)), spent: 1, leadsTo: .retry(after: .seconds(3))),
    Row(failure: failure(.transient, retryAfter: .seconds(99_999)), leadsTo: .retry(after: .seconds(3600))),
    Row(failure: failure(.conflict), leadsTo: .ask),
    Row(failure: failure(.conflict, retryAfter: .seconds(2)), leadsTo: .retry(after: .seconds(2))),
    Row(failure: failure(.conflict, retryAfter: .seconds(2)), spent: 4, leadsTo: .ask),
    Row(failure: failure(.fileChanged), leadsTo: .wait(after: .milliseconds(500))),
    Row(failure: failure(.fileChanged), spent: 4, leadsTo: .wait(after: .milliseconds(500))),
    Row(failure: failure(.destination), leadsTo: .ask),
    Row(failure: failure(.rejected), leadsTo: .ask),
    Row(failure: failure(.file), leadsTo: .ask),
    Row(failure: failure(.configuration), leadsTo: .ask),
  ]

  @Test(arguments: table)
  private func failuresLeadToExpectedVerdicts(_ row: Row) {
    var random: any RandomNumberGenerator = Middle()
    let policy = RetryPolicy(delays: Self.delays, jitter: 0, unavailable: row.unavailable)
    let verdict = Verdict.on(
      row.failure, delaysSpent: row.spent, policy: policy, settle: .milliseconds(500), random: &random)
    #expect(verdict == row.leadsTo)
    #expect(Set(Self.table.map(\.failure.kind)) == Set(Failure.Kind.allCases))
  }

  @Test func jitterStaysWithinItsShare() throws {
    var random: any RandomNumberGenerator = Seeds.numbers()
    var seen: Set<Duration> = []
    for _ in 0..<200 {
      let verdict = Verdict.on(
        Self.failure(.transient), delaysSpent: 0, policy: RetryPolicy(delays: [.seconds(10)], jitter: 0.1),
        settle: .zero, random: &random)
      guard case .retry(let pause) = verdict else {
        Issue.record("\(verdict)")
        return
      }
      #expect(pause >= .seconds(9) && pause <= .seconds(11))
      seen.insert(pause)
    }
    #expect(seen.count > 100)
  }
}
