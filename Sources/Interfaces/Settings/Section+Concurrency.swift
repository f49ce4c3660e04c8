import Jobs

extension Section {
  /// Returns a number, or `"auto"`, which is the default.
  mutating func concurrency(_ key: String, in range: ClosedRange<Int>) -> Concurrency {
    guard let node = node(key) else { return .auto }
    if case .string("auto") = node.value { return .auto }
    guard case .integer(let number) = node.value else {
      wrongType(key, node, "an integer or \"auto\"", example: "\(key) = \"auto\" or \(key) = 32")
      return .auto
    }
    guard range.contains(number) else {
      problem(key, "\(number) is out of range", "it may be \(range.lowerBound) to \(range.upperBound)")
      return .auto
    }
    return .fixed(number)
  }
}
