import Jobs
import Ledger

/// Once a minute one job of those that wait for a key or the network tries again at its destination; if it succeeds, the
/// others follow. Where nothing waits, nothing ticks.
final class Probes: Sendable {
  static let pause: Duration = .seconds(60)

  private let (rings, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let alarm: Alarm

  init(clock: Clock) {
    alarm = Alarm("waybill.probes", clock: clock, ring: { [ring] in ring.yield() })
  }

  /// Takes note of where the jobs stand after a commit.
  func update(_ counts: LedgerCounts) {
    if counts.waiting.values.contains(where: { $0 > 0 }) { alarm.setIfUnset(after: Self.pause) }
  }

  /// Sends the probes until the task is cancelled.
  func run(_ ledger: JobLedger) async throws {
    for await _ in rings {
      for (destination, count) in ledger.counts.waiting where count > 0 { try await ledger.probe(destination) }
    }
  }
}
