package import Jobs

/// The moments of the daily summary: a time of day in a time zone. A pure value: `now` is a parameter, on the wall clock.
///
/// A moment that passed while the daemon did not run is not made up for. A clock that is set back by less than a day makes no
/// second summary, and one that is set forward by more than a day (as where it starts anew at each boot) makes none.
package struct SummaryTurn: Hashable, Sendable {
  /// The longest time to the next moment. It is longer only if the clock was set back by more than a day.
  private static let longest: Duration = .seconds(49 * 3600)
  private static let day: Int64 = 86_400

  /// The minute of the day.
  package let minute: Int
  /// The time zone of that minute.
  package let zone: TimeZoneRules
  /// The time of the next summary.
  package private(set) var next: Timestamp

  /// Creates the turn; its first moment is the first one after `now`.
  package init(minute: Int, zone: TimeZoneRules, now: Timestamp) {
    self.minute = minute
    self.zone = zone
    next = now
    next = moment(after: now)
  }

  /// Returns true if a summary is due, and then waits for the next moment.
  package mutating func isDue(now: Timestamp) -> Bool {
    let isOver = next <= now
    let isDue = isOver && now - next < .seconds(Self.day)
    if isOver || next - now > Self.longest { next = moment(after: now) }
    return isDue
  }

  private func moment(after now: Timestamp) -> Timestamp {
    let seconds = now.wholeSeconds
    let local = seconds + Int64(zone.offset(at: seconds))
    let today = (local - (local % Self.day + Self.day) % Self.day) / Self.day
    let moments = (today - 1...today + 2).map { Timestamp(seconds: moment(onDay: $0)) }
    return moments.first { $0 > now } ?? now + .seconds(Self.day)
  }

  /// Returns the moment of a day, by days since the Unix epoch. Of a time that a day has twice it is the first; one that is left out
  /// comes as much later as the clock is set forward.
  private func moment(onDay day: Int64) -> Int64 {
    let local = day * Self.day + Int64(minute) * 60
    let before = zone.offset(at: local - Self.day), after = zone.offset(at: local + Self.day)
    let first = local - Int64(before), second = local - Int64(after)
    if zone.offset(at: first) == before { return first }
    return zone.offset(at: second) == after ? second : first
  }
}
