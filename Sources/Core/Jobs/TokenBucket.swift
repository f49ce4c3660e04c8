/// A limit of requests a second: a bucket with the tokens of one second, at least one. Times are milliseconds on a steady clock; while it
/// goes back, no time passes.
public struct TokenBucket: Sendable {
  /// The rates that are possible, in tokens a second.
  public static let rates = 0.001...100_000.0

  /// The tokens a second.
  public let rate: Double
  /// The nanoseconds in which one token arrives, and those in which all but one do.
  private let interval, depth: Int64
  /// The nanoseconds until the bucket is full.
  private var lack: Int64 = 0
  private var time: Int64

  /// A full bucket; a rate outside of ``rates`` becomes the nearest one.
  public init(rate: Double, now: Int64 = 0) {
    self.rate = min(max(rate, Self.rates.lowerBound), Self.rates.upperBound)
    interval = Int64((1_000_000_000 / self.rate).rounded(.up))
    depth = (max(1, Int64(self.rate)) - 1) * interval
    time = now
  }

  /// Changes the rate. The bucket is empty then, so that many changes allow no more requests.
  public mutating func set(rate: Double) {
    self = TokenBucket(rate: rate, now: time)
    lack = depth + interval
  }

  /// True if there was a token at the last known time.
  public var hasToken: Bool { lack <= depth }

  /// The time at which there is a token; if there is one, the last known time.
  public var next: Int64 {
    let wait = hasToken ? 0 : (lack - depth + 999_999) / 1_000_000
    return time > .max - wait ? .max : time + wait
  }

  /// Returns true if there is a token at a time.
  public mutating func hasToken(at now: Int64) -> Bool {
    // No bucket takes longer to fill, and the product does not overflow.
    let passed = now > time ? min(UInt64(bitPattern: now &- time), 1 << 40) : 0
    lack = max(0, lack - Int64(passed) * 1_000_000)
    time = now
    return hasToken
  }

  /// Takes a token that is there.
  public mutating func take() { lack += interval }

  /// A rate as text: `50`, `0.5`.
  public static func text(_ rate: Double) -> String { Int(exactly: rate).map(String.init) ?? "\(rate)" }
}
