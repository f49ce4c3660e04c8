import ChildProcesses
import Jobs
import Linux
import Testing

@testable import Spool

/// The lock of a spool that several have, one after the other or at the same time.
@Suite(.bounded)
struct SpoolLockTests {
  private let place: Place

  init() throws { place = try Place() }

  /// A spool leaves the configuration and comes back while a request of the one before is in flight.
  @Test func lastSharerReleasesLock() throws {
    let hold: SpoolLock
    do {
      let first = try SpoolDirectory(place.options())
      hold = first.lock
      let second = try #require(join(hold))
      withExtendedLifetime(first) {
        #expect(second.status.isPresent)
        #expect(throws: SpoolProblem.self) { _ = try SpoolDirectory(place.options()) }
      }
      withExtendedLifetime(second) {}
    }
    #expect(!hold.isUsed)
    #expect(join(hold) == nil)
    _ = try SpoolDirectory(place.options())
  }

  private func join(_ hold: SpoolLock) -> SpoolDirectory? {
    SpoolDirectory(place.options(), joining: hold, wallClock: { Timestamp(microseconds: 0) }, on: .system)
  }
}
