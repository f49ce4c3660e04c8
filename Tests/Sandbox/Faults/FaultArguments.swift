/// Reads faults as they are written on the command line.
enum FaultArguments {
  /// Combines `--fault KIND=…` and `--latency KIND=TIME`.
  ///
  /// A single status stays until it is removed; several, separated by commas, are used one per request.
  static func plan(faults: [String], latencies: [String]) throws(FaultError) -> FaultPlan {
    var plan = FaultPlan()
    for text in faults {
      let (kind, value) = try pair(text, example: "upload=503,503,200")
      var steps: [Fault.Step] = []
      for part in value.split(separator: ",", omittingEmptySubsequences: false) { steps.append(try Fault.Step(part)) }
      plan.update(kind) { fault in
        switch (steps.first, steps.count) {
        case (.status(let status), 1): fault.status = status
        case (.cut(let cut), 1): fault.cut = cut
        default: fault.statuses = steps
        }
      }
    }
    for text in latencies {
      let (kind, value) = try pair(text, example: "upload=20ms")
      let milliseconds = try milliseconds(value)
      plan.update(kind) { $0.latency = milliseconds }
    }
    for fault in plan.faults.values { try fault.check() }
    return plan
  }

  private static func pair(_ text: String, example: String) throws(FaultError) -> (RequestKind, Substring) {
    guard let equals = text.firstIndex(of: "=") else { throw FaultError("\"\(text)\" should look like \(example)") }
    return (try FaultPlan.kind(named: text[..<equals]), text[text.index(after: equals)...])
  }

  private static func milliseconds(_ text: Substring) throws(FaultError) -> Int {
    for (unit, factor) in [("ms", 1), ("s", 1000)] where text.hasSuffix(unit) {
      if let count = Int(text.dropLast(unit.count)), count >= 0, count <= 600_000 { return count * factor }
    }
    throw FaultError("\"\(text)\" is not a time such as 20ms or 3s")
  }
}
