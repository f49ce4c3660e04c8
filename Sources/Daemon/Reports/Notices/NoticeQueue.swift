package import Jobs

/// The notices that wait for one receiver. A pure value: `now` is a parameter, on the steady clock.
///
/// The first notice goes at once. Those that follow are gathered, so that a receiver gets at most one request in
/// ``gathering``. A request that fails is sent again, with the same id and body, after a pause that doubles.
package struct NoticeQueue: Sendable {
  package static let gathering: Duration = .seconds(10)
  package static let mostAtOnce = 100
  /// The bytes that the notices of one request may take; a single one may take more.
  package static let mostBytes = 128 << 10
  /// The most notices that wait; beyond that the oldest is left out.
  package static let mostWaiting = 1000
  package static let pauses: ClosedRange<Duration> = .seconds(1)...Duration.seconds(300)

  package struct Batch: Hashable, Sendable {
    /// The number of the request; it stays the same when it is sent again.
    package let number: Int
    package let notices: [Notice]
    /// The number of notices that were left out since the last request: there was no room, or the receiver refused them.
    package let leftOut: Int

    /// The id of the request, by which a receiver recognizes it when it is sent again. It has no dot, because dots divide the
    /// parts of what is signed (Standard Webhooks, "Signature scheme").
    package func id(host: String, mark: String) -> String {
      "waybill-\(host.replacing(".", with: "-"))-\(mark)-\(number)"
    }
  }

  package enum Outcome: Sendable {
    case delivered
    /// It may be delivered later.
    case failed
    case refused

    /// The outcome by the status of the answer (RFC 9110, section 15). Only a status that says something about this body is a
    /// refusal: a wrong token or address may be corrected later, a 410 among them, and a proxy may get its server back.
    package init(status: Int) {
      switch status {
      case 200..<300: self = .delivered
      case 400, 406, 411, 413, 415, 422: self = .refused
      default: self = .failed
      }
    }
  }

  private var waiting: [Notice] = []
  private var leftOut = 0
  /// The request that is in flight, or is to be sent again.
  private var batch: Batch?
  private var isInFlight = false
  private var count = 0
  private var earliest = Timestamp(microseconds: .min)
  /// The failures since the last delivery.
  package private(set) var failures = 0

  package init() {}

  package mutating func add(_ notices: [Notice]) {
    waiting += notices
    let tooMany = max(0, waiting.count - Self.mostWaiting)
    waiting.removeFirst(tooMany)
    leftOut += tooMany
  }

  /// Makes a request that failed due at once: the reason of its failure may be gone.
  package mutating func retryNow() {
    if failures > 0 { earliest = Timestamp(microseconds: .min) }
  }

  /// The time at which the next request is due; nil if there is nothing to send, or if a request is in flight.
  package var due: Timestamp? {
    guard !isInFlight, batch != nil || !waiting.isEmpty else { return nil }
    return earliest
  }

  package mutating func nextBatch(now: Timestamp) -> Batch? {
    guard let due, due <= now else { return nil }
    isInFlight = true
    if let batch { return batch }
    count += 1
    var bytes = 0
    let notices = waiting.prefix(Self.mostAtOnce).prefix {
      bytes += $0.size
      return bytes <= Self.mostBytes || bytes == $0.size
    }
    let taken = Batch(number: count, notices: Array(notices), leftOut: leftOut)
    waiting.removeFirst(taken.notices.count)
    leftOut = 0
    batch = taken
    return taken
  }

  /// Records the outcome of the request in flight.
  package mutating func end(_ outcome: Outcome, now: Timestamp, retryAfter: Duration = .zero) {
    guard let batch, isInFlight else { return }
    isInFlight = false
    switch outcome {
    case .delivered:
      failures = 0
      self.batch = nil
      earliest = now + Self.gathering
    case .failed:
      failures += 1
      earliest = now + max(pause, min(retryAfter, Self.pauses.upperBound))
    case .refused:
      failures += 1
      leftOut += batch.notices.count + batch.leftOut
      self.batch = nil
      earliest = now + max(pause, Self.gathering)
    }
  }

  private var pause: Duration { Self.pauses.lowerBound.doubled(failures - 1, upTo: Self.pauses.upperBound) }
}
