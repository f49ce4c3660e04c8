import Testing

/// Lets only a few tests run at the same time: each of them is several processes, and the machine may have two cores.
actor Slots {
  static let shared = Slots(count: 4)

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(count: Int) { free = count }

  func take() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func giveBack() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}

/// The trait of every suite here: its tests take a slot each.
struct SlotTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    await Slots.shared.take()
    do {
      try await function()
    } catch {
      await Slots.shared.giveBack()
      throw error
    }
    await Slots.shared.giveBack()
  }
}

extension Trait where Self == SlotTrait {
  /// At most a few such tests at once.
  static var slot: Self { Self() }
}
