package import SeededNumbers

/// The time that a request and its answer take on their way.
package struct Latency: Codable, Hashable, Sendable {
  package var base: Duration
  /// The width of what chance adds to it.
  package var spread: Duration
  /// The requests in a thousand that take much longer.
  package var tailPermille: Int
  /// The longest time that these take.
  package var tail: Duration
  /// The bytes of a request's body in a second; nil for no limit.
  package var bytesPerSecond: Int?

  package init(
    base: Duration = .milliseconds(20), spread: Duration = .zero, tailPermille: Int = 0, tail: Duration = .seconds(5),
    bytesPerSecond: Int? = nil
  ) {
    self.base = base
    self.spread = spread
    self.tailPermille = tailPermille
    self.tail = tail
    self.bytesPerSecond = bytesPerSecond
  }

  /// Draws the times of one request: until it has arrived, and then until its answer has.
  package func draw(bytes: Int, _ numbers: inout SplitMix64) -> (request: Duration, answer: Duration) {
    var all = base + numbers.duration(upTo: spread)
    if numbers.isOne(in: tailPermille) { all += numbers.duration(upTo: tail) }
    let there = all / 2
    let body = bytesPerSecond.map { Duration.microseconds(Int64(bytes) * 1_000_000 / Int64(max($0, 1))) } ?? .zero
    return (there + body, all - there)
  }
}

extension SplitMix64 {
  /// A duration in whole microseconds, from zero up to one.
  package mutating func duration(upTo most: Duration) -> Duration {
    let parts = most.components
    let microseconds = parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000
    return .microseconds(microseconds > 0 ? Int64(index(below: Int(microseconds) + 1)) : 0)
  }

  /// True in that many of a thousand draws. It draws a number in any case, so that the draws that follow stay the same.
  package mutating func isOne(in permille: Int) -> Bool { index(below: 1000) < permille }

  package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[index(below: elements.count)] }
}
