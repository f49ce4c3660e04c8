import Jobs
public import Messages

/// The correction of this machine's clock for the signatures of one storage.
///
/// AWS's SDKs also correct from 5 minutes on (`isClockSkewed` in the SDK for JavaScript, `ClockSkew` in the one for Java), while
/// S3 itself refuses from 15 minutes on (`RequestTimeTooSkewed`).
struct ClockOffset: Hashable, Sendable {
  /// The smallest difference that can be the cause of a refusal.
  static let least: Duration = .seconds(300)
  /// The largest difference that is corrected. A signature is valid around its own time, so a stolen one with a time far ahead could be
  /// used then.
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
  private(set) var value: Duration = .zero

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

  /// Removes the correction.
  mutating func withdraw() { value = .zero }

  /// True if two times differ by more than a signature should.
  static func isApart(_ difference: Duration) -> Bool { abs(difference) > least }
}

/// A problem with the clock here, as it is reported to an operator.
public enum ClockTrouble: Hashable, Sendable {
  /// Signatures are corrected by this: the storage's time minus the time here.
  case corrected(by: Duration)
  /// The clocks are too far apart.
  case isTooFar(by: Duration)
  /// The storage's time differs from answer to answer.
  case isUnsteady

  /// The problem.
  public func message(at storage: String) -> Message {
    switch self {
    case .corrected(let difference):
      let time = Self.shown(difference)
      return difference < .zero
        ? .clockAheadCorrected(time: time, storage: storage) : .clockBehindCorrected(time: time, storage: storage)
    case .isTooFar(let difference):
      let time = Self.shown(difference)
      return difference < .zero
        ? .clockTooFarAhead(time: time, storage: storage) : .clockTooFarBehind(time: time, storage: storage)
    case .isUnsteady: return .clockUnsteady(storage: storage)
    }
  }

  /// The size of a difference, in whole minutes.
  private static func shown(_ difference: Duration) -> Duration { .seconds(abs(difference).wholeSeconds / 60 * 60) }

  /// The kind, so that the same problem is reported once.
  var kind: Int {
    switch self {
    case .corrected: 0
    case .isTooFar: 1
    case .isUnsteady: 2
    }
  }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
