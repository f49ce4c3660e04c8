import Jobs

extension RetryPolicy.OnUnavailable: Choice {
  static var allCases: [Self] { [.abort, .retry] }
}

/// `[retry]`, and the `retry` of a destination.
extension Section {
  /// Returns a destination's policy: settings that it does not have are those of `[retry]`.
  mutating func retry(_ key: String, over shared: RetryPolicy) -> RetryPolicy {
    guard var inner = section(key, example: "\(key) = { delays = [\"5s\", \"1min\"] }") else { return shared }
    return inner.retryPolicy(over: shared)
  }

  mutating func retryPolicy(over shared: RetryPolicy) -> RetryPolicy {
    var policy = shared
    policy.delays = delays("delays") ?? shared.delays
    policy.unavailable = choice("unavailable", default: shared.unavailable)
    finish()
    return policy
  }

  private mutating func delays(_ key: String) -> [Duration]? {
    let example = "[\"1s\", \"3s\", \"5s\", \"10s\"]"
    let nodes = elements(key, atMost: 100, ("a duration", "durations"), example: example) { $0 }
    guard let delays = nodes?.map({ quantity(key, $0.value, example: example, in: SpanText("0s")..."30d") }) else {
      return nil
    }
    return delays.contains(nil) ? nil : delays.compactMap { $0 }
  }
}
