import Synchronization

/// Something that a look looks at, and that tells when another look may see something else.
public protocol Watch: Sendable {
  /// Comes back once there is something new since the look began, or once the limit has passed.
  /// - Returns: false if it cannot tell; then it comes back at once.
  func news(within limit: Duration) async -> Bool
}

/// Trouble that passes, such as a daemon that is just being started again: ``until(_:within:every:file:line:_:)`` looks
/// again instead of failing.
public protocol PassingTrouble: Error {}

/// What the looks of one ``until(_:within:every:file:line:_:)`` look at, as they tell it themselves.
///
/// Between two looks a test waits for what the look looked at, where that can be waited for. Only where it cannot, or
/// where it is several things at once, it waits for a fixed time.
public final class Looks: Sendable {
  @TaskLocal private static var current: Looks?

  private struct Contents {
    var watches: [String: any Watch] = [:]
    var seen: Set<String> = []
    var isMute = false
  }

  /// The longest wait for news: a look may also be at files, of which nobody tells.
  private static let longest = Duration.milliseconds(250)
  private let state = Mutex(Contents())

  /// Says that something is about to be looked at. Its watch is made once, and lives as long as the looks go on.
  public static func look(at name: String, _ make: () -> any Watch) {
    current?.state.withLock { state in
      state.seen.insert(name)
      if state.watches[name] == nil { state.watches[name] = make() }
    }
  }

  /// Says what a look has seen, by a watch for all that differs from it.
  public static func saw(_ name: String, _ watch: any Watch) {
    current?.state.withLock { state in
      state.seen.insert(name)
      state.watches[name] = watch
    }
  }

  /// Says that something is looked at of which nobody tells when it changes.
  public static func lookAtSomethingMute() { current?.state.withLock { $0.isMute = true } }

  /// Whether an `until` is looking.
  static var areMade: Bool { current != nil }

  func look<Value>(_ ask: () async throws -> Value?) async throws -> Value? {
    state.withLock { state in
      state.seen = []
      state.isMute = false
    }
    try await Hunt.pause()
    let value = try await Self.$current.withValue(self) { try await ask() }
    try await Hunt.pause()
    return value
  }

  /// Waits for the time of the next look.
  /// - Parameters:
  ///   - pause: the wait where there is no news to be waited for.
  ///   - spent: how long the look took. News may come without end: no more than half of the time goes by with looks, and a third
  ///     where there is no news. On a busy machine, many tests that look are what keeps it busy.
  ///   - rest: how long there is until the last look.
  func wait(_ pause: Duration, spent: Duration, rest: Duration) async throws {
    let watch = state.withLock { state in
      state.isMute || state.seen.count != 1 ? nil : state.seen.first.flatMap { state.watches[$0] }
    }
    if let watch, await watch.news(within: min(Self.longest, rest)) {
      try await Task.sleep(for: min(max(spent, .milliseconds(2)), pause))
    } else {
      try await Task.sleep(for: max(pause, min(spent * 2, Self.longest)))
    }
  }
}
