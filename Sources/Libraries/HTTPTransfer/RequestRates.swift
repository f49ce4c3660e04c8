import Jobs
import Synchronization

/// The limits of requests a second, by the names of destinations. Requests wait for them in the queue of a ``Transport``.
public final class RequestRates: Sendable {
  private struct Rate {
    var bucket: TokenBucket
    var waiting = 0
    /// Grows with each request that has to wait.
    var held = 0
  }

  private let all = Mutex<[String: Rate]>([:])

  /// No limits.
  public init() {}

  /// Changes all limits at once, also for requests that wait. The ``Transport`` is then told its own limits again.
  public func set(_ rates: [String: Double]) {
    all.withLock { all in
      let old = all
      all = rates.mapValues { Rate(bucket: TokenBucket(rate: $0)) }
      for (name, var rate) in old {
        guard let now = rates[name] else { continue }
        if rate.bucket.rate != now { rate.bucket.set(rate: now) }
        all[name] = rate
      }
    }
  }

  /// Returns a limit, with the number of requests that it holds back now; nil if there is none.
  public func use(of name: String) -> (perSecond: Double, waiting: Int)? {
    all.withLock { $0[name].map { ($0.bucket.rate, $0.bucket.hasToken ? 0 : $0.waiting) } }
  }

  /// Returns a number that changes with each request that has to wait for a limit.
  public func held(by name: String) -> Int { all.withLock { $0[name]?.held ?? 0 } }

  /// The time at which there is a token; nil without a limit.
  func next(_ name: String) -> Int64? { all.withLock { $0[name]?.bucket.next } }

  /// Counts requests that begin to wait, or stop. Those that began before a limit was made are not counted.
  func wait(_ name: String, _ change: Int = 1) {
    all.withLock { all in
      let waiting = (all[name]?.waiting ?? 0) + change
      all[name]?.waiting = max(0, waiting)
    }
  }

  /// Takes the token of a request that waited.
  func take(_ name: String) {
    wait(name, -1)
    all.withLock { $0[name]?.bucket.take() }
  }

  func mayBegin(_ name: String, at now: Int64) -> Bool {
    all.withLock { all in
      let mayBegin = all[name]?.bucket.hasToken(at: now) ?? true
      if !mayBegin { all[name]?.held += 1 }
      return mayBegin
    }
  }
}
