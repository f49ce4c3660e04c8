import ChildProcesses
import Foundation

@testable import Harness

/// The size of a test of the fleet: small with all other tests, large in `make torture-fleet`.
enum FleetSize {
  static func number(_ name: String, _ usual: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
  }

  static let seconds = number("WAYBILL_TEST_FLEET_SECONDS", 20)
  static let seed = UInt64(number("WAYBILL_TEST_FLEET_SEED", 26 + Int(Seeds.run)))
  static let questions = number("WAYBILL_TEST_FLEET_QUESTIONS", 160)
  /// The events that a daemon keeps: `JobLedger.eventsKept`.
  static let eventsKept = 100_000
  static let races = number("WAYBILL_TEST_FLEET_RACES", 40)
}
