import Jobs
import Linux

/// The openers of files that were just renamed away and may be open for writing, until their new name is reported. The two events
/// of a rename share a cookie and come close together, so few entries are kept.
struct Departures {
  struct Departure {
    let cookie: UInt32
    let openers: Openers
    let suspectSince: ContinuousClock.Instant
  }

  private static let most = 64

  private(set) var all: [Departure] = []

  mutating func add(_ cookie: UInt32, _ openers: Openers, since: ContinuousClock.Instant) {
    guard cookie != 0, openers.mayWrite else { return }
    if all.count == Self.most { all.removeFirst() }
    all.append(Departure(cookie: cookie, openers: openers, suspectSince: since))
  }

  /// Removes and returns the openers of the file that arrives.
  mutating func arrival(_ cookie: UInt32) -> Departure? {
    guard let index = all.firstIndex(where: { $0.cookie == cookie }) else { return nil }
    return all.remove(at: index)
  }
}
