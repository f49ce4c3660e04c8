import Jobs
import Messages

/// The times at which keys or a token are fetched. A pure value: `now` is the wall clock, by which keys expire.
struct KeyRenewal: Sendable {
  /// The longest time before their end at which keys are renewed. Keys with a short life are renewed in their last quarter.
  static let margin: Duration = .seconds(300)
  /// The time for which keys without an end are used before their source is asked again.
  static let look: Duration = .seconds(60)
  /// The least time between two renewals because of a refusal.
  static let pause: Duration = .seconds(30)
  /// The pause after the first failure, and the longest one.
  static let firstPause: Duration = .seconds(1)
  static let longestPause: Duration = .seconds(60)

  private(set) var keys: FetchedCredential?
  /// The last failure, if nothing was fetched since.
  private(set) var failure: KeyFault?
  private var failures = 0
  private var fetched: Timestamp?
  private var failed: Timestamp?
  private var replaced: Timestamp?

  func usable(now: Timestamp) -> FetchedCredential? {
    guard let keys, keys.expires.map({ $0 > now }) ?? true else { return nil }
    return keys
  }

  func isDue(now: Timestamp) -> Bool {
    if isPausing(now) { return false }
    guard let keys, let fetched else { return true }
    // A clock that was set back proves nothing.
    if now < fetched { return true }
    guard let expires = keys.expires else { return now - fetched >= Self.look }
    let margin = min(Self.margin, (expires - fetched) / 4)
    return now + margin >= expires
  }

  /// Returns true if a fetch may begin because a value was refused, and records that. New values that are refused too are not fetched again
  /// and again.
  mutating func beginReplacing(now: Timestamp) -> Bool {
    guard !isPausing(now), replaced.map({ now < $0 || now - $0 >= Self.pause }) ?? true else { return false }
    replaced = now
    return true
  }

  private func isPausing(_ now: Timestamp) -> Bool {
    guard let failed, now >= failed else { return false }
    return now - failed < Self.firstPause.doubled(failures - 1, upTo: Self.longestPause)
  }

  mutating func end(_ result: Result<FetchedCredential, KeyFault>, now: Timestamp) {
    switch result {
    case .success(let keys):
      if let expires = keys.expires, expires <= now {
        return fail(KeyFault(.keysExpired, remedy: .seeClocks), now)
      }
      self.keys = keys
      fetched = now
      (failure, failures, failed) = (nil, 0, nil)
    case .failure(let failure): fail(failure, now)
    }
  }

  private mutating func fail(_ failure: KeyFault, _ now: Timestamp) {
    self.failure = failure
    failures += 1
    failed = now
  }
}
