extension ReloadAnswer {
  /// The most jobs that are listed.
  public static let mostListed = 1000

  /// Creates an answer; the sentence is made from the rest.
  public init(
    added: [String], changed: [String], removed: [String], needsRestart: [String], asking: [Int64],
    problems: [String] = []
  ) {
    self.init(
      added: added, changed: changed, removed: removed, needsRestart: needsRestart,
      asking: Array(asking.prefix(Self.mostListed)), askingCount: asking.count, problems: problems,
      message: Self.sentence(added, changed, removed, needsRestart, asking))
  }

  private static func sentence(
    _ added: [String], _ changed: [String], _ removed: [String], _ needsRestart: [String], _ asking: [Int64]
  ) -> String {
    let parts = [("changed", changed), ("added", added), ("removed", removed)]
      .filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.joined(separator: ", "))" }
    var words = "configuration reloaded: " + (parts.isEmpty ? "nothing changed" : parts.joined(separator: "; "))
    if !needsRestart.isEmpty {
      words += "; only after a restart: \(needsRestart.joined(separator: ", "))"
    }
    switch asking.count {
    case 0: break
    case 1: words += "; job \(asking[0]) asks, because its destination is no longer configured"
    default:
      words +=
        "; \(asking.count) jobs ask, because their destination is no longer configured (the first is \(asking[0]))"
    }
    return words
  }
}
