extension ConcurrencyLimit {
  /// Returns the reason, apart from the pace, why the limit is no higher, in words for people; nil if there is none.
  public func heldDown(now: Timestamp) -> String? {
    var reasons: [String] = []
    if let ceiling, limit < ceiling.limit { reasons.append("\(ceiling.limit) at once were refused") }
    if lowersFrom > now { reasons.append("time-outs hold many of its slots") }
    if share < Self.manyAnswers { reasons.append("\(Int(((1 - share) * 100).rounded())) % of its requests fail") }
    return reasons.isEmpty ? nil : reasons.joined(separator: ", ")
  }

  /// The share of answers below which failures are named as a reason.
  private static let manyAnswers = 0.95
}
