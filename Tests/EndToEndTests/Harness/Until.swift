/// A condition that did not come true in time.
struct TimedOut: Error, CustomStringConvertible {
  let description: String
}

/// How long a condition may take on a busy machine. It bounds a failing test; a passing one never waits for it.
let patience: Duration = .seconds(60)

/// Asks again and again until the answer is not nil, and hands it over.
@discardableResult
func until<Value>(
  _ what: String, within limit: Duration = patience, every pause: Duration = .milliseconds(20),
  file: String = #fileID, line: Int = #line, _ ask: () async throws -> Value?
) async throws -> Value {
  let end = ContinuousClock.now + limit
  while true {
    if let value = try await ask() { return value }
    guard ContinuousClock.now < end else { throw TimedOut(description: "\(file):\(line): waited \(limit) for \(what)") }
    try await Task.sleep(for: pause)
  }
}

/// Asks again and again until the answer is true.
func until(
  _ what: String, within limit: Duration = patience, every pause: Duration = .milliseconds(20),
  file: String = #fileID, line: Int = #line, _ holds: () async throws -> Bool
) async throws {
  try await until(what, within: limit, every: pause, file: file, line: line) { try await holds() ? true : nil }
}
