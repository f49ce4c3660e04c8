import Jobs

extension RetryPolicy.OnUnavailable: Choice {
  static var allCases: [Self] { [.abort, .retry] }
}

/// `[retry]`, and a destination's own.
extension Section {
  /// Returns a destination's own policy: the settings that it does not have are those of `[retry]`.
  mutating func retry(_ key: String, over shared: RetryPolicy) -> RetryPolicy {
    guard var inner = section(key, example: "\(key) = { delays = [\"5s\", \"1min\"] }") else { return shared }
    return inner.retryPolicy(over: shared)
  }

  mutating func retryPolicy(over shared: RetryPolicy) -> RetryPolicy {
    var policy = shared
    policy.delays = delays("delays") ?? shared.delays
    policy.jitter = fraction("jitter", default: shared.jitter)
    policy.unavailable = choice("unavailable", default: shared.unavailable)
    finish()
    return policy
  }

  private mutating func delays(_ key: String) -> [Duration]? {
    let example = "\(key) = [\"1s\", \"3s\", \"5s\", \"10s\"]"
    guard let nodes = array(key, atMost: 100, of: "durations", example: example) else { return nil }
    let delays = nodes.map { duration(key, $0, example: example, in: "0s"..."30d") }
    return delays.contains(nil) ? nil : delays.compactMap { $0 }
  }
}
