import HTTPTransfer
import Jobs
import Synchronization

/// The time that a storage's requests are signed with, shared by all of them.
final class StorageClock: Sendable {
  private struct Contents {
    var offset = ClockOffset()
    /// The kind of the trouble that was told; nil for none.
    var told: Int?
  }

  private let state = Mutex(Contents())
  /// True once it was told that there is no trouble, as long as that holds: most answers cost a look at this.
  private let isCalm = Atomic<Bool>(false)
  private let now: @Sendable () -> Timestamp
  private let tell: @Sendable (ClockTrouble?) -> Void

  /// - Parameters:
  ///   - now: the clock here.
  ///   - tell: called once when there is trouble, and with nil once there is none.
  init(now: @escaping @Sendable () -> Timestamp, tell: @escaping @Sendable (ClockTrouble?) -> Void) {
    self.now = now
    self.tell = tell
  }

  /// The time for a signature.
  var time: Timestamp { now() + state.withLock { $0.offset.value } }

  /// Takes note of an answer that accepts the signature. The correction ends once the clocks agree without it.
  func accepted(_ response: HTTPResponse) {
    guard !isCalm.load(ordering: .acquiring) else { return }
    let here = now()
    let there = Self.time(of: response)
    let isOver = state.withLock { state in
      if state.offset.value != .zero {
        guard let there, !ClockOffset.isApart(there - here) else { return false }
        state.offset.withdraw()
      }
      state.told = nil
      return true
    }
    guard isOver else { return }
    isCalm.store(true, ordering: .releasing)
    tell(nil)
  }

  /// Returns the meaning of a refusal, and tells of a difference that is not corrected.
  func finding(_ there: Timestamp, signed: Timestamp) -> ClockOffset.Finding {
    let here = now()
    let finding = state.withLock { $0.offset.finding(there, signed: signed, here: here) }
    if case .isTooFar(let difference) = finding { report(.isTooFar(by: difference)) }
    return finding
  }

  /// Takes the difference that two answers have shown; false if they differ from each other.
  func correct(_ first: Duration, by there: Timestamp) -> Bool {
    let second = there - now()
    let value = state.withLock { state in state.offset.correct(first, second) ? state.offset.value : nil }
    guard let value else {
      report(.isUnsteady)
      return false
    }
    if value != .zero { report(.corrected(by: value)) }
    return true
  }

  /// Takes the correction back: the storage refuses it too.
  func withdraw() {
    state.withLock { $0.offset.withdraw() }
    report(.isUnsteady)
  }

  private func report(_ trouble: ClockTrouble) {
    let isNews = state.withLock { state in
      defer { state.told = trouble.kind }
      return state.told != trouble.kind
    }
    isCalm.store(false, ordering: .releasing)
    if isNews { tell(trouble) }
  }

  /// Returns the time of the server that made an answer; nil if a cache had it, whose answer has the time at which it was made.
  static func time(of response: HTTPResponse) -> Timestamp? {
    guard response.headers[first: "Age"] == nil, let date = response.headers[first: "Date"] else { return nil }
    return S3Refusal.time(date)
  }
}

extension S3Bucket {
  /// Returns true if a request that was refused is to be sent once more, with the time of its signature corrected.
  ///
  /// Nothing is corrected by one answer alone: a HEAD of the bucket, signed with the other time, has to come with the same time.
  func correctsClock(after refusal: S3Refusal, _ exchange: Exchange) async throws -> Bool {
    guard let there = refusal.serverTime else { return false }
    switch clock.finding(there, signed: refusal.context.signed) {
    case .agrees, .isTooFar: return false
    case .isCorrected: return true
    case .differs(let difference):
      let head = Exchange(method: "HEAD", object: OtherPlace(bucket: exchange.bucket, key: ""), isOfBucket: true)
      let answer = try await transport.send(RequestTraits()) {
        var request = self.request(
          head, also: [], key: try await self.signingKey(), time: self.now() + difference)
        if let identity = self.identity { request.identity = try identity() }
        return request
      }
      return StorageClock.time(of: answer).map { clock.correct(difference, by: $0) } ?? false
    }
  }
}
