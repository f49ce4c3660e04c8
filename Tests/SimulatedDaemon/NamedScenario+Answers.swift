import Simulation

/// Jobs whose backend is not in the configuration, and people who answer all their questions again and again.
enum BulkAnswers {
  private static let counts = (few: 30, many: 150)
  private static let end = Duration.seconds(400)

  /// The database does more for an answer where there are more jobs only as an index does.
  static func faults(_ runner: ScenarioRunner) -> [String] {
    let few = runner.run(scenario(counts.few))
    let many = runner.run(scenario(counts.many))
    let (one, other) = (few.operations / Int64(counts.few), many.operations / Int64(counts.many))
    let faults = few.violations + many.violations
    let words =
      "the ledger does \(other) operations for each of \(counts.many) jobs, and \(one) for each of \(counts.few)"
    print("  \(words)")
    return other <= one * 3 / 2 ? faults : faults + [words]
  }

  private static func scenario(_ jobs: Int) -> Scenario {
    let plan = ConfigurationPlan.one(0)
    var other = plan
    other.backends[0].name = "other"
    other.spools[0].backend = "other"
    var timeline = [Moment(at: .seconds(1), .pause(.backend("b0")))]
    timeline += (1...jobs).map { plan.drop($0, at: .seconds(5)) }
    timeline.append(Moment(at: .seconds(100), .configure(other)))
    timeline += [200, 230, 260, 290].map { Moment(at: .seconds($0), .commandAll(.confirm)) }
    return plan.scenario([Trouble(), Trouble()], timeline, end: end)
  }
}
