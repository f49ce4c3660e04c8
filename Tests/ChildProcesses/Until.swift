import Foundation

/// A condition that did not come true in time.
public struct TimedOut: Error, CustomStringConvertible {
  /// What was waited for, where and how long.
  public let description: String
}

/// How long a condition may take on a busy machine. It bounds a failing test; a passing one never waits for it.
/// `WAYBILL_TEST_PATIENCE` is another number of seconds, for runs in which tests are to fail.
public let patience: Duration = .seconds(
  ProcessInfo.processInfo.environment["WAYBILL_TEST_PATIENCE"].flatMap { Int($0) } ?? 600)

/// Asks again and again until the answer is not nil, and hands it over. No thread is held between two questions.
/// - Parameters:
///   - what: what is waited for, for the error.
///   - limit: for how long; longer where a sanitizer or a hunt slows all down.
///   - pause: the time between two questions, where what is asked does not tell itself when to ask again (``Looks``).
/// - Throws: ``TimedOut`` once the limit has passed, what `ask` throws at once unless it passes (``PassingTrouble``), and
///   `CancellationError`.
@discardableResult
public func until<Value>(
  _ what: String, within limit: Duration = patience, every pause: Duration = .milliseconds(20),
  file: String = #fileID, line: Int = #line, _ ask: () async throws -> Value?
) async throws -> Value {
  let limit = limit * Sanitizer.factor * Hunt.factor
  try await Hunt.pause()
  let end = ContinuousClock.now + limit
  let looks = Looks()
  while true {
    // The time is taken first: an answer that is late only because the machine was busy still counts.
    let begin = ContinuousClock.now
    var trouble = ""
    do {
      if let value = try await looks.look(ask) {
        try await Hunt.pause()
        return value
      }
    } catch let error as any PassingTrouble {
      trouble = "; at last: \(error)"
    }
    guard begin < end else {
      throw TimedOut(description: "\(file):\(line): waited \(limit) for \(what)\(trouble)")
    }
    let now = ContinuousClock.now
    try await looks.wait(pause, spent: now - begin, rest: max(.zero, end - now))
  }
}

/// Asks again and again until the answer is true.
public func until(
  _ what: String, within limit: Duration = patience, every pause: Duration = .milliseconds(20),
  file: String = #fileID, line: Int = #line, _ holds: () async throws -> Bool
) async throws {
  try await until(what, within: limit, every: pause, file: file, line: line) { try await holds() ? true : nil }
}
