import Synchronization

/// By ledger, the jobs that could not be shown, as far as somebody has listed them.
final class FleetDamage: Sendable {
  /// The most jobs of a ledger that are remembered.
  private static let most = 1000
  private let jobs = Mutex<[String: Set<Int64>]>([:])

  /// The number of jobs by ledger.
  var counts: [String: Int] { jobs.withLock { $0.mapValues(\.count) } }

  /// Remembers a job.
  func note(_ ledger: String, _ number: Int64) {
    jobs.withLock { jobs in
      guard jobs.count < Self.most || jobs[ledger] != nil else { return }
      guard jobs[ledger, default: []].count < Self.most else { return }
      jobs[ledger, default: []].insert(number)
    }
  }
}
