import HTTPTransfer
import Jobs
import Synchronization

/// The clock for the signatures of one storage's requests, with a correction if this machine's clock is wrong.
final class StorageClock: Sendable {
  private struct Contents {
    var offset = ClockOffset()
    /// The kind of the problem that was last reported; nil for none.
    var told: Int?
    /// The storage's time minus the time here, when it was last measured.
    var difference: Duration?
  }

  /// The least time between two measurements.
  private static let interval = Duration.seconds(60)

  private let state = Mutex(Contents())
  /// True after it was reported that there is no problem. While it is true, an accepted answer costs only this check.
  private let isCalm = Atomic<Bool>(false)
  /// The time here of the last measurement, in microseconds; 0 before the first.
  private let measuredAt = Atomic<Int64>(0)
  private let now: @Sendable () -> Timestamp
  private let onChange: @Sendable (ClockTrouble?) -> Void

  /// - Parameters:
  ///   - now: this machine's clock.
  ///   - onChange: is called once for each problem, and with nil when there is none any more.
  init(now: @escaping @Sendable () -> Timestamp, onChange: @escaping @Sendable (ClockTrouble?) -> Void) {
    self.now = now
    self.onChange = onChange
  }

  /// The time for a signature.
  var time: Timestamp { now() + state.withLock { $0.offset.value } }

  /// The storage's time minus the time here, to the second, by a recent answer; nil before the first.
  var difference: Duration? { state.withLock(\.difference) }

  /// Measures the difference of the clocks, if that was not done in the last minute.
  private func measure(_ response: HTTPResponse, _ here: Timestamp) {
    let last = Timestamp(microseconds: measuredAt.load(ordering: .relaxed))
    // The clock may have been set back.
    guard here - last >= Self.interval || here < last else { return }
    measuredAt.store(here.microseconds, ordering: .relaxed)
    guard let there = Self.time(of: response) else { return }
    state.withLock { $0.difference = there - here }
  }

  /// Handles an answer that accepts the signature. The correction ends when the clocks agree without it.
  func accepted(_ response: HTTPResponse) {
    let here = now()
    measure(response, here)
    guard !isCalm.load(ordering: .acquiring) else { return }
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
    onChange(nil)
  }

  /// Returns the conclusion from a refusal. A difference that is too large to be corrected is reported.
  func finding(_ there: Timestamp, signed: Timestamp) -> ClockOffset.Finding {
    let here = now()
    let finding = state.withLock { $0.offset.finding(there, signed: signed, here: here) }
    if case .isTooFar(let difference) = finding { report(.isTooFar(by: difference)) }
    return finding
  }

  /// Corrects by the difference that two answers have shown; returns false if these deviate too much from each other.
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

  /// Removes the correction, because the storage refuses the corrected time too.
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
    if isNews { onChange(trouble) }
  }

  /// Returns the server's time from an answer; nil if the answer comes from a cache, whose `Date` is old.
  static func time(of response: HTTPResponse) -> Timestamp? {
    guard response.headers[first: "Age"] == nil, let date = response.headers[first: "Date"] else { return nil }
    return HTTPDate.parse(date)
  }
}

extension S3Bucket {
  /// The storage's time minus the time here, to the second; nil before its first answer.
  public var clockDifference: Duration? { clock.difference }

  /// Returns true if a refused request should be sent once more with a corrected time.
  ///
  /// One answer is not enough for a correction: a HEAD of the bucket, signed with the other time, must confirm the difference.
  func correctsClock(after refusal: S3Refusal, _ exchange: Exchange) async throws -> Bool {
    guard let there = refusal.serverTime else { return false }
    switch clock.finding(there, signed: refusal.context.signed) {
    case .agrees, .isTooFar: return false
    case .isCorrected: return true
    case .differs(let difference):
      let head = Exchange(method: "HEAD", object: BareAddress(bucket: exchange.bucket, key: ""), isOfBucket: true)
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
