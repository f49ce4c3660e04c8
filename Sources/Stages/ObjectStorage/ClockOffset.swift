import Jobs

/// The difference by which the clock here is corrected for a storage's signatures.
///
/// AWS's SDKs correct in the same way: from 5 minutes on (`isClockSkewed` in the SDK for JavaScript, `ClockSkew` in the one for
/// Java), while S3 itself refuses 15 minutes (`RequestTimeTooSkewed`).
struct ClockOffset: Hashable, Sendable {
  /// The least difference that a refusal may be due to.
  static let least: Duration = .seconds(300)
  /// The largest difference that is corrected. A signature holds for its own time alone, so one that is made for a time far ahead
  /// is of use to whoever gets hold of it then.
  static let most: Duration = .seconds(7 * 86_400)
  /// The difference that two answers may have from each other.
  static let tolerance: Duration = .seconds(60)

  /// The meaning of a storage's time beside a refusal.
  enum Finding: Hashable, Sendable {
    /// The time of the signature was right.
    case agrees
    /// The request was signed before the present correction counted.
    case isCorrected
    /// This difference would explain it: the storage's time less the time here.
    case differs(Duration)
    /// The difference would explain it, and is too large to be corrected.
    case isTooFar(Duration)
  }

  /// The present correction, which is added to the time here.
  private(set) var value: Duration = .zero

  /// Returns the meaning of the storage's time in the refusal of a request.
  ///
  /// - Parameters:
  ///   - signed: the time in the request's signature.
  ///   - here: the time here, without a correction, at the answer.
  func finding(_ there: Timestamp, signed: Timestamp, here: Timestamp) -> Finding {
    guard Self.isApart(there - signed) else { return .agrees }
    let difference = there - here
    if !Self.isApart(difference - value) { return .isCorrected }
    if abs(difference) > Self.most { return .isTooFar(difference) }
    return .differs(difference)
  }

  /// Takes a difference that two answers, one after the other, have shown.
  ///
  /// - Returns: false if they differ from each other, and nothing changed.
  mutating func correct(_ first: Duration, _ second: Duration) -> Bool {
    guard abs(first - second) <= Self.tolerance else { return false }
    value = Self.isApart(second) ? second : .zero
    return true
  }

  /// Takes the correction back.
  mutating func withdraw() { value = .zero }

  /// True if two times are further apart than a signature should be.
  static func isApart(_ difference: Duration) -> Bool { abs(difference) > least }
}

/// The trouble with the clock here, as an operator is told.
public enum ClockTrouble: Hashable, Sendable {
  /// Signatures are corrected by this: the storage's time less the time here.
  case corrected(by: Duration)
  /// The clocks are too far apart.
  case isTooFar(by: Duration)
  /// The storage's time differs from answer to answer.
  case isUnsteady

  /// The trouble in words.
  public func words(at storage: String) -> String {
    switch self {
    case .corrected(let difference):
      "the clock here is \(Self.shown(difference)) that of \(storage): its requests are signed with its own time"
    case .isTooFar(let difference):
      "the clock here is \(Self.shown(difference)) that of \(storage), which refuses signatures: they are corrected by 7 days at most"
    case .isUnsteady:
      "\(storage) refuses the time of signatures, and its own time differs from answer to answer"
    }
  }

  /// The way to mend it.
  public static let remedy = "set the clock: timedatectl shows it, and systemd-timesyncd or chrony keeps it right"

  /// The kind, so that the same trouble is told once.
  var kind: Int {
    switch self {
    case .corrected: 0
    case .isTooFar: 1
    case .isUnsteady: 2
    }
  }

  private static func shown(_ difference: Duration) -> String {
    let seconds = abs(difference).components.seconds
    let size =
      switch seconds {
      case 172_800...: "\(seconds / 86_400) days"
      case 7200...: "\(seconds / 3600) hours"
      default: "\(seconds / 60) minutes"
      }
    return "\(size) \(difference < .zero ? "ahead of" : "behind")"
  }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
