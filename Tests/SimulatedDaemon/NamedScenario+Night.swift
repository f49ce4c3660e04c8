import Simulation

/// A night in which a destination answers nothing but 503, and files come all the time.
enum Night {
  enum Side: String, CaseIterable {
    case storage
    case backend
    /// A backend without `health`: a job has to go to see.
    case backendWithoutHealth
  }

  private static let slots = 4
  private static let files = 80
  private static let begin = Duration.milliseconds(5800)
  private static let dawn = Duration.seconds(8 * 3600)
  /// The time at which people have tried again what was aborted. By then all else is registered.
  private static let end = dawn + .seconds(1800)

  static let courses: [(name: String, spells: [Spell])] = [
    ("503", [spell(answer(503), begin, dawn)]),
    ("503 that asks for a second", [spell(answer(503, .seconds(1)), begin, dawn)]),
    ("503, no connection, and 503 again", changes(.refusesConnections)),
    ("503, silence, and 503 again", changes(.isSilent(actsPermille: 0))),
    (
      "503, 429 and 502, and 503 again", changes(answer(429)) + [spell(answer(502), .seconds(11_000), .seconds(14_000))]
    ),
  ]

  /// Only jobs that were in flight when it began are aborted: there is no other way that a file is late.
  static func faults(of spells: [Spell], at side: Side, _ runner: ScenarioRunner) -> [String] {
    let outcome = runner.run(scenario(spells, side))
    let late = files - outcome.registered.values.count { $0 < end }
    print("  \(late) of \(files) files are aborted at the \(side.rawValue), with \(slots) slots")
    let isWell = side == .backendWithoutHealth ? late > slots : late <= slots
    return outcome.violations
      + (isWell ? [] : ["\(late) files were not registered by themselves, with \(slots) slots"])
  }

  private static func spell(_ condition: Condition, _ from: Duration, _ until: Duration) -> Spell {
    Spell(condition, from: from, until: until)
  }

  private static func answer(_ status: Int, _ wait: Condition.Wait = .absent) -> Condition {
    .answers(status: status, permille: 1000, retryAfter: wait, actsPermille: 0)
  }

  private static func changes(_ middle: Condition) -> [Spell] {
    [
      spell(answer(503), begin, .seconds(7000)), spell(middle, .seconds(7000), .seconds(11_000)),
      spell(answer(503), .seconds(11_000), dawn),
    ]
  }

  private static func scenario(_ spells: [Spell], _ side: Side) -> Scenario {
    var plan = ConfigurationPlan.one(0)
    plan.daemon.concurrency = slots
    plan.backends[0].hasHealth = side == .backend
    let drops = (1...files).map { number in
      // Half of them come together when it begins, the others over the night.
      plan.drop(
        number,
        at: number <= files / 2 ? .seconds(5) + .milliseconds(25 * number) : .seconds(600 * (number - files / 2)))
    }
    let out = Trouble(spells: spells)
    let troubles = side == .storage ? [out, Trouble()] : [Trouble(), out]
    return plan.scenario(troubles, drops + [Moment(at: .seconds(9000), .restart)], end: end)
  }
}
