import HTTPTransfer
import Jobs
import Messages
import Synchronization

/// The clock for the signatures of one storage's requests, with a correction if this machine's clock is wrong.
final class StorageClock: Sendable {
  private struct Contents {
    var offset = ClockOffset()
    /// The code of the problem that was last reported; nil for none, and before the first answer.
    var told: String?
    /// True after it was reported that there is no problem.
    var isCalm = false
    /// The storage's time minus the time here, when it was last measured, and the time here of the last measurement.
    var difference: Duration?
    var measuredAt: Timestamp?
  }

  /// The least time between two measurements.
  private static let interval = Duration.seconds(60)

  private let state = Mutex(Contents())
  /// The name of the storage in messages.
  private let storage: String
  private let now: @Sendable () -> Timestamp
  private let onChange: @Sendable (Message?) -> Void

  /// - Parameters:
  ///   - storage: the name of the storage in messages.
  ///   - now: this machine's clock.
  ///   - onChange: is called once for each problem, and with nil when there is none any more.
  init(
    of storage: String, now: @escaping @Sendable () -> Timestamp, onChange: @escaping @Sendable (Message?) -> Void
  ) {
    self.storage = storage
    self.now = now
    self.onChange = onChange
  }

  var time: Timestamp { now() + state.withLock { $0.offset.value } }

  /// The storage's time minus the time here, to the second, by a recent answer; nil before the first.
  var difference: Duration? { state.withLock(\.difference) }

  /// Handles an answer that accepts the signature. The correction ends when the clocks agree without it.
  func accepted(_ response: HTTPResponse) {
    let here = now()
    let isOver = state.withLock { state in
      // The clocks are compared once a minute. The one here may have been set back.
      let isDue = state.measuredAt.map { here - $0 >= Self.interval || here < $0 } ?? true
      guard isDue || !state.isCalm else { return false }
      let difference = Self.time(of: response).map { $0 - here }
      if isDue { (state.measuredAt, state.difference) = (here, difference ?? state.difference) }
      guard !state.isCalm else { return false }
      if state.offset.value != .zero {
        guard let difference, !ClockOffset.isApart(difference) else { return false }
        state.offset.value = .zero
      }
      (state.told, state.isCalm) = (nil, true)
      return true
    }
    if isOver { onChange(nil) }
  }

  /// Returns the conclusion from a refusal. A difference that is too large to be corrected is reported.
  func finding(_ there: Timestamp, signed: Timestamp) -> ClockOffset.Finding {
    let here = now()
    let finding = state.withLock { $0.offset.finding(there, signed: signed, here: here) }
    if case .isTooFar(let difference) = finding {
      report(difference, ahead: Message.clockTooFarAhead, behind: Message.clockTooFarBehind)
    }
    return finding
  }

  /// Corrects by the difference that two answers have shown; returns false if these deviate too much from each other.
  func correct(_ first: Duration, by there: Timestamp) -> Bool {
    let second = there - now()
    let value = state.withLock { state in state.offset.correct(first, second) ? state.offset.value : nil }
    guard let value else {
      report(.clockUnsteady(storage: storage))
      return false
    }
    if value != .zero { report(value, ahead: Message.clockAheadCorrected, behind: Message.clockBehindCorrected) }
    return true
  }

  /// Removes the correction, because the storage refuses the corrected time too.
  func withdraw() {
    state.withLock { $0.offset.value = .zero }
    report(.clockUnsteady(storage: storage))
  }

  private func report(_ trouble: Message) {
    let isNews = state.withLock { state in
      defer { (state.told, state.isCalm) = (trouble.code, false) }
      return state.told != trouble.code
    }
    if isNews { onChange(trouble) }
  }

  /// Reports the storage's time minus the time here, in whole minutes.
  private func report(
    _ difference: Duration, ahead: (Duration, String) -> Message, behind: (Duration, String) -> Message
  ) {
    let time = Duration.seconds(abs(difference).wholeSeconds / 60 * 60)
    report(difference < .zero ? ahead(time, storage) : behind(time, storage))
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
      let head = Exchange(method: "HEAD", place: BareAddress(bucket: exchange.place.bucket))
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

/// The correction of this machine's clock for the signatures of one storage.
///
/// AWS's SDKs also correct from 5 minutes on (`isClockSkewed` in the SDK for JavaScript, `ClockSkew` in the one for Java), while
/// S3 itself refuses from 15 minutes on (`RequestTimeTooSkewed`).
struct ClockOffset: Hashable, Sendable {
  /// The smallest difference that can be the cause of a refusal.
  static let least: Duration = .seconds(300)
  /// The largest difference that is corrected. A signature is valid around its own time, so somebody who obtains one for a time
  /// far ahead could use it then.
  static let most: Duration = .seconds(7 * 86_400)
  /// The maximum deviation between the differences from two answers.
  static let tolerance: Duration = .seconds(60)

  /// The conclusion from the time that a storage shows in a refusal.
  enum Finding: Hashable, Sendable {
    /// The time of the signature was right, so it is not the cause.
    case agrees
    /// The request was signed before the current correction took effect.
    case isCorrected
    /// This difference explains the refusal: the storage's time minus the time here.
    case differs(Duration)
    /// The difference explains the refusal, but is too large to be corrected.
    case isTooFar(Duration)
  }

  /// The current correction, which is added to the time here.
  var value: Duration = .zero

  /// Returns the conclusion from the storage's time in the refusal of a request.
  ///
  /// - Parameters:
  ///   - signed: the time in the request's signature.
  ///   - here: the uncorrected time here when the answer arrived.
  func finding(_ there: Timestamp, signed: Timestamp, here: Timestamp) -> Finding {
    guard Self.isApart(there - signed) else { return .agrees }
    let difference = there - here
    if !Self.isApart(difference - value) { return .isCorrected }
    if abs(difference) > Self.most { return .isTooFar(difference) }
    return .differs(difference)
  }

  /// Sets the correction from the differences in two consecutive answers.
  ///
  /// - Returns: false if these deviate too much from each other; then nothing changes.
  mutating func correct(_ first: Duration, _ second: Duration) -> Bool {
    guard abs(first - second) <= Self.tolerance else { return false }
    value = Self.isApart(second) ? second : .zero
    return true
  }

  /// True if two times differ by more than a signature should.
  static func isApart(_ difference: Duration) -> Bool { abs(difference) > least }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
