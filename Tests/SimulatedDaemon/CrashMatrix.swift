import Linux
package import Seams
package import Simulation

/// All failpoints times all rows of the crash table: the daemon dies at each place that it reaches, and lives on.
package struct CrashMatrix {
  /// A place where the daemon dies: a pass of a failpoint in one of its lives.
  package struct Cell: Hashable, Sendable {
    /// The life, from 0.
    package var life: Int
    package var point: Failpoint
    /// The pass in that life, from 1.
    package var pass: Int

    package init(life: Int, point: Failpoint, pass: Int) {
      self.life = life
      self.point = point
      self.pass = pass
    }
  }

  private let runner: ScenarioRunner

  package init(_ runner: ScenarioRunner) { self.runner = runner }

  /// Runs a row undisturbed. Its passes say where the daemon may die.
  package func run(_ row: CrashRow) -> ScenarioRunner.Outcome { runner.run(row.scenario) }

  /// The places of a row that its undisturbed run reached, at most so many passes of each point. Of a life that is not the first
  /// one, only points count that the lives before have not passed so often.
  package static func cells(of row: CrashRow, _ outcome: ScenarioRunner.Outcome, mostPasses: Int) -> [Cell] {
    var cells: [Cell] = []
    var known: [String: Int] = [:]
    for (life, passes) in outcome.passes.enumerated() {
      for point in row.points ?? Failpoint.ofDaemon {
        let count = min(passes[point.rawValue] ?? 0, mostPasses)
        let before = known[point.rawValue] ?? 0
        guard count > before else { continue }
        known[point.rawValue] = count
        guard life >= row.scenario.crashes.count else { continue }
        cells += (before + 1...count).map { Cell(life: life, point: point, pass: $0) }
      }
    }
    return cells
  }

  /// Runs a row until the daemon dies at a place; where the start that follows reaches the same point, it dies there again. Then it
  /// lives on. A place that is not met is a violation.
  package func run(_ row: CrashRow, dyingAt cell: Cell) -> ScenarioRunner.Outcome {
    var scenario = row.scenario
    while scenario.crashes.count < cell.life { scenario.crashes.append(.never) }
    scenario.crashes += [.at(cell.point, pass: cell.pass), .at(cell.point)]
    var outcome = runner.run(scenario)
    let passes = outcome.passes.indices.contains(cell.life) ? outcome.passes[cell.life][cell.point.rawValue] : nil
    if passes != cell.pass { outcome.violations.append("the daemon did not reach the place") }
    return outcome
  }
}

extension Crash {
  fileprivate static let never = Crash(.failpoint(Failpoint.ledgerMade.rawValue, pass: .max))
}
