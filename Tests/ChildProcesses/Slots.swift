import Foundation
public import Testing

/// Lets only a few tests run at the same time, of all suites together.
///
/// Swift Testing starts all tests at once. Each of these is several processes, or a server in the test's own: with
/// hundreds of them on two cores, an honest answer takes longer than the ten seconds that a client waits for it.
actor Slots {
  static let shared = Slots(count: max(8, ProcessInfo.processInfo.activeProcessorCount))

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(count: Int) { free = count }

  func take() async {
    await withCheckedContinuation { continuation in
      if free > 0 {
        free -= 1
        continuation.resume()
      } else {
        waiting.append(continuation)
      }
    }
  }

  func giveBack() {
    guard !waiting.isEmpty else {
      free += 1
      return
    }
    waiting.removeFirst().resume()
  }
}

/// The trait of a suite whose tests start processes or servers, or keep the machine busy: they take a slot each.
///
/// A time limit counts the wait for the slot too: ``TimeLimitTrait/bounded`` has time for it. So do the times that Swift Testing tells;
/// those without the wait are in the file that `WAYBILL_TEST_TIMES` names (`scripts/test-summary`).
public struct SlotTrait: SuiteTrait, TestTrait, TestScoping {
  /// Every test takes its own slot, not the suite one for all.
  public var isRecursive: Bool { true }

  /// Runs a test once a slot is free.
  @concurrent public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    await Slots.shared.take()
    let begin = ContinuousClock.now
    let result: Result<Void, any Error>
    do {
      result = .success(try await function())
    } catch {
      result = .failure(error)
    }
    TestTimes.note(test, ContinuousClock.now - begin)
    await Slots.shared.giveBack()
    try result.get()
  }
}

extension Trait where Self == SlotTrait {
  /// At most a few such tests at once.
  public static var slot: Self { Self() }
}

extension Trait where Self == TimeLimitTrait {
  /// For what could wait for ever: it fails after a time in which all of the suite has long been through.
  public static var bounded: Self { .timeLimit(.minutes(40 * Sanitizer.factor * Hunt.factor * Hunt.factor)) }
}
