package struct Trouble: Codable, Hashable, Sendable {
  package var latency: Latency
  /// The conditions. Where several hold at a time, each may decide on a request, in this order.
  package var spells: [Spell]
  /// The most requests that it is busy with; more are answered with 503. Nil for no limit.
  package var mostAtOnce: Int?
  /// The most requests in a second; more are answered with 429 (a backend) or 503 SlowDown (a storage). Nil for no limit.
  package var mostPerSecond: Int?
  /// From then on all is well, and only ``latency`` counts. Nil for never.
  package var end: Duration?

  /// The requests that a server is busy with, without the one that comes, and those of the last second, with it.
  package typealias Load = (busy: Int, lastSecond: Int)

  package init(
    latency: Latency = Latency(), spells: [Spell] = [], mostAtOnce: Int? = nil, mostPerSecond: Int? = nil,
    end: Duration? = nil
  ) {
    self.latency = latency
    self.spells = spells
    self.mostAtOnce = mostAtOnce
    self.mostPerSecond = mostPerSecond
    self.end = end
  }

  package func conditions(at now: Duration) -> [Condition] {
    if let end, now >= end { return [] }
    return spells.filter { $0.from <= now && now < $0.until }.map(\.condition)
  }
}
