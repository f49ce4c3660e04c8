/// The time for which changes gather before the next round of the mirror: the busier the host, the longer. Its jobs come first,
/// and a job that is done by then is read and written once.
struct GatheringPace: Sendable {
  /// The pause of a host that does next to nothing.
  static let least = Duration.milliseconds(200)
  /// The longest pause, so that those who look at the fleet see what was a few seconds ago.
  static let most = Duration.seconds(5)
  /// The growth of the pause for each event that comes in a second.
  private static let growth = Duration.milliseconds(10)
  /// The most events that gather: half of those that the daemon keeps, because what it no longer keeps is lost to the copy.
  static let mostEvents = 50_000.0

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
    let rate = Double(event - last.event) / seconds
    return min(Self.least + Self.growth * rate, Self.most, max(Self.least, .seconds(Self.mostEvents / rate)))
  }
}
