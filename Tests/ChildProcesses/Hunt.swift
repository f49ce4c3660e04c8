import Foundation
import Glibc
import Synchronization
import Testing

/// The trouble that `make test-hunt` makes for tests, to find those that meet a moment: a test that waits for events and asserts
/// on history does not notice it. `WAYBILL_TEST_HUNT` names the kinds, with commas between them.
///
/// All of it is chosen by ``Seeds``, for each test by itself.
public enum Hunt {
  enum Trouble: String {
    /// A random pause before and after each look at a daemon or a server.
    case pauses
    /// Daemons are stopped now and then, and soon continued.
    case stops
    /// Tests run in another order, and another number of them at the same time.
    case order
  }

  private static let troubles: Set<Trouble> = {
    let words = ProcessInfo.processInfo.environment["WAYBILL_TEST_HUNT"]?.split(separator: ",") ?? []
    return Set(words.compactMap { Trouble(rawValue: String($0)) })
  }()

  /// Whether there is trouble.
  public static let isOn = ProcessInfo.processInfo.environment["WAYBILL_TEST_HUNT"] != nil
  /// How many times longer things may take then.
  public static let factor = isOn ? 4 : 1

  private static let numbers = Mutex<[String: SplitMix64]>([:])

  static func has(_ trouble: Trouble) -> Bool { troubles.contains(trouble) }

  /// Random numbers for one choice of the test that is running.
  static func choice() -> SplitMix64 {
    let test = Test.current.map { "\($0.id)" } ?? ""
    return SplitMix64(seed: numbers.withLock { $0[test, default: Seeds.numbers(for: test)].next() })
  }

  /// Waits for a moment in a hunt, before and after what a test looks at.
  ///
  /// Within the looks of an `until` the moments are short, as there are many. Before the first one, after the last one and
  /// before and after all that is no such look, one in a few is longer than what tests take for long.
  public static func pause() async throws {
    guard has(.pauses) else { return }
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

  /// Stops a process again and again for a moment, until it is to be left alone.
  static func disturb(_ waiter: Waiter) {
    guard has(.stops) else { return }
    let choice = choice()
    // A thread of its own: a process that is stopped must be continued however busy the tests' own threads are.
    Thread.detachNewThread {
      var random = choice
      var isToGoOn = true
      while isToGoOn {
        usleep(.random(in: 50_000...1_500_000, using: &random))
        let isLong = Int.random(in: 0..<8, using: &random) == 0
        isToGoOn = waiter.stop(for: .random(in: isLong ? 80_000...700_000 : 5000...80_000, using: &random))
      }
    }
  }
}
