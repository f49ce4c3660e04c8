import Messages

/// The time for which changes gather before the next round of the mirror: the busier the host, the longer. So the host's jobs
/// come first, and a job that ends in that time is read and written only once.
struct GatheringPace: Sendable {
  /// The pause of a host that does almost nothing.
  static let least = Duration.milliseconds(200)
  /// The longest pause, so that people see a state that is a few seconds old at most.
  static let most = Duration.seconds(5)
  /// The growth of the pause for each event that comes in a second.
  private static let growth = Duration.milliseconds(10)
  /// The most events that gather: those of some two thousand jobs, which a few answers have.
  static let mostEvents = 6000.0

  private var last: (event: Int64, at: ContinuousClock.Instant)?

  /// Returns the pause after a round that has reached the ledger's last event.
  ///
  /// - Parameters:
  ///   - event: the number of that event.
  ///   - now: the time at which it was reached.
  mutating func pause(after event: Int64, at now: ContinuousClock.Instant) -> Duration {
    defer { last = (event, now) }
    guard let last, event > last.event else { return Self.least }
    let seconds = max(Self.least, now - last.at).seconds
    let rate = Double(event -| last.event) / seconds
    return min(Self.least + Self.growth * rate, Self.most, max(Self.least, .seconds(Self.mostEvents / rate)))
  }
}

extension Duration {
  /// The number of seconds with its fraction.
  fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
