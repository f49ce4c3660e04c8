import Simulation

/// A job ends while the clock is a month behind, and the clock is set right before the daemon looks for jobs that are old enough to
/// leave the ledger. The job must stay: only its row still says that its object is at the storage.
enum MonthBehind {
  private static let month = Duration.seconds(30 * 86_400)
  /// The daemon looks each ten minutes from its start: none of these falls between the two changes of the clock.
  private static let (back, right, end) = (Duration.seconds(200), Duration.seconds(500), Duration.seconds(700))

  static var scenario: Scenario {
    let plan = ConfigurationPlan.one(0)
    let down = Trouble(spells: [Spell(.refusesConnections, from: .zero, until: .seconds(300))])
    return plan.scenario(
      [Trouble(), down],
      [
        plan.drop(1, at: .seconds(5)),
        // Behind its upload, so that the object stays.
        Moment(at: .seconds(60), .command(.cancel, .ofFile(1))),
        Moment(at: back, .moveWallClock(by: .zero - month)),
        Moment(at: .seconds(300), .command(.discard, .ofFile(1))),
        Moment(at: right, .moveWallClock(by: month)),
      ], end: end)
  }
}
