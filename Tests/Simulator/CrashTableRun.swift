import ArgumentParser
import Glibc
import Linux
import Seams
import SimulatedDaemon
import Simulation

/// The crash table: rows of scenarios, in which the daemon dies at each failpoint that it reaches.
struct CrashTableRun {
  let matrix: CrashMatrix
  let rows: [CrashRow]
  let mostPasses: Int
  /// Of so many places one is tried: those whose number has this remainder.
  let share: (one: Int, of: Int)
  let printsHistory: Bool
  /// True if the first failure ends it.
  let stops: Bool

  /// Runs all places of the rows, or one of them. Throws if something must not be and is.
  func run(at place: CrashMatrix.Cell?) throws {
    var reached: Set<Failpoint> = []
    var (number, count, failed) = (0, 0, 0)
    for row in rows {
      if stops, failed > 0 { throw ExitCode.failure }
      let undisturbed = matrix.run(row)
      guard undisturbed.violations.isEmpty else {
        report("\(row.name), undisturbed", undisturbed)
        failed += 1
        continue
      }
      let cells = place.map { [$0] } ?? CrashMatrix.cells(of: row, undisturbed, mostPasses: mostPasses)
      for passes in undisturbed.passes { reached.formUnion(passes.keys.compactMap(Failpoint.init(rawValue:))) }
      for cell in cells {
        number += 1
        guard place != nil || number % share.of == share.one % share.of else { continue }
        count += 1
        let outcome = matrix.run(row, dyingAt: cell)
        if printsHistory || !outcome.violations.isEmpty { report("\(row.name), \(cell.words)", outcome) }
        if !outcome.violations.isEmpty { failed += 1 }
        if stops, failed > 0 { throw ExitCode.failure }
      }
      print("\(row.name): \(cells.count) places")
      fflush(nil)
    }
    print("\(rows.count) rows, \(count) places, \(failed) failed")
    let missed = Failpoint.ofDaemon.filter { !reached.contains($0) }
    if rows.count == CrashRow.all.count, !missed.isEmpty {
      print("no row reaches \(missed.map(\.rawValue).joined(separator: " "))")
      failed += 1
    }
    if failed > 0 { throw ExitCode.failure }
  }

  private func report(_ place: String, _ outcome: ScenarioRunner.Outcome) {
    print("\(place): \(outcome.violations.isEmpty ? "all was well" : outcome.violations.joined(separator: "\n  "))")
    for line in outcome.history.suffix(printsHistory ? .max : 30) { print("  \(line)") }
  }
}

extension CrashMatrix.Cell {
  /// The form in which it is printed and asked for: `POINT:PASS`, or `POINT:PASS:LIFE`.
  fileprivate var words: String { "\(point.rawValue):\(pass):\(life)" }

  /// The place that these words name; nil if they name none.
  init?(words: String) {
    let parts = words.split(separator: ":")
    guard let point = parts.first.flatMap({ Failpoint(rawValue: String($0)) }),
      let pass = parts.count > 1 ? Int(parts[1]) : 1, let life = parts.count > 2 ? Int(parts[2]) : 0
    else { return nil }
    self.init(life: life, point: point, pass: pass)
  }
}
