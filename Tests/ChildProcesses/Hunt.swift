import Foundation
import Synchronization
import Testing

/// The trouble that `make test-hunt` makes for tests, to find those that meet a moment: a random pause before and after each look at a
/// daemon or a server. A test that waits for events and asserts on history does not notice it.
///
/// All of it is chosen by ``Seeds``, for each test by itself.
public enum Hunt {
  /// Whether there is trouble.
  public static let isOn = ProcessInfo.processInfo.environment["WAYBILL_TEST_HUNT"] != nil
  /// How many times longer things may take then.
  public static let factor = isOn ? 4 : 1

  private static let numbers = Mutex<[String: SplitMix64]>([:])

  /// Random numbers for one choice of the test that is running.
  private static func choice() -> SplitMix64 {
    let test = Test.current.map { "\($0.id)" } ?? ""
    return SplitMix64(seed: numbers.withLock { $0[test, default: Seeds.numbers(for: test)].next() })
  }

  /// Waits for a moment in a hunt, before and after what a test looks at.
  ///
  /// Within the looks of an `until` the moments are short, as there are many. Before the first one, after the last one and
  /// before and after all that is no such look, one in a few is longer than what tests take for long.
  public static func pause() async throws {
    guard isOn else { return }
    var random = choice()
    let milliseconds =
      switch Int.random(in: 0..<16, using: &random) {
      case 0..<11: Int.random(in: 0...10, using: &random)
      case 11..<14: Int.random(in: 10...100, using: &random)
      case 15 where !Looks.areMade: Int.random(in: 800...5000, using: &random)
      default: Int.random(in: 100...800, using: &random)
      }
    try await Task.sleep(for: .milliseconds(milliseconds))
  }
}
