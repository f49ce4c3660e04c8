/// When a change of the network is told to those who wait for it. A value without clock.
struct NetworkLooks: Sendable {
  /// The times after a change at which it is reported. It is reported more than once, because links, addresses, routes
  /// and name servers come one after the other, and because an attempt that began before the change may still fail.
  static let pauses: [Duration] = [.milliseconds(500), .seconds(2), .seconds(10)]
  /// The most that is told in a minute: where something flaps, or containers come and go, each would be a probe in vain.
  static let most = 12
  private static let minute: Duration = .seconds(60)

  /// When the change was heard of that is being told, and how often it was told.
  private var change: (at: ContinuousClock.Instant, told: Int)?
  /// When something was told, the last times.
  private var lately: [ContinuousClock.Instant] = []

  /// When to tell next; nil where there is nothing to tell.
  var due: ContinuousClock.Instant? {
    guard let (at, told) = change else { return nil }
    let wanted = at + Self.pauses[told]
    guard lately.count == Self.most, let first = lately.first else { return wanted }
    return max(wanted, first + Self.minute)
  }

  /// True if a change now is a new change, and not part of one that will be reported anyway.
  var isListening: Bool { change.map { $0.told > 0 } ?? true }

  /// Takes note of a change.
  mutating func heard(at now: ContinuousClock.Instant) {
    if isListening { change = (now, 0) }
  }

  /// Returns true if the change is to be reported now.
  mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
    guard let due, due <= now, let (at, told) = change else { return false }
    change = told + 1 < Self.pauses.count ? (at, told + 1) : nil
    lately = lately.suffix(Self.most - 1) + [now]
    return true
  }
}
