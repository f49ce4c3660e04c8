import ChildProcesses
import Jobs
import Testing

@testable import Spool

/// The time between two scans of a spool.
@Suite(.slot, .bounded) struct ScanIntervalTests {
  private let place: Place

  init() throws { place = try Place() }

  /// A problem ends soon after its cause, unless scans take long: then they take a twentieth of the time.
  @Test func problemsAreLookedAtSoonAgain() throws {
    var options = place.options()
    options.longestLook = .seconds(2)
    func interval(_ isTroubled: Bool, _ lastScan: Duration) -> Duration {
      SpoolWatch.interval(options, isTroubled: isTroubled, lastScan: lastScan)
    }
    #expect(interval(false, .zero) == .seconds(300), "nothing is wrong")
    #expect(interval(true, .milliseconds(1)) == .seconds(2))
    #expect(interval(true, .seconds(1)) == .seconds(20))
    #expect(interval(true, .seconds(60)) == .seconds(300), "never later than without a problem")
  }
}
