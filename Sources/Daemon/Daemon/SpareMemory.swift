import Ledger
import Linux

/// The memory that much work has needed, given back at the rest that follows.
struct SpareMemory: Sendable {
  /// After fewer steps there is less to give back than the looking costs.
  private static let manySteps = 512

  let ledger: JobLedger

  /// Gives back what only a start needs.
  func giveBackAfterStart() { ProcessMemory.returnFreeMemory() }

  /// Gives memory back after so many steps of jobs.
  func giveBack(after steps: Int) {
    guard steps >= Self.manySteps else { return }
    ledger.releaseMemory()
    ProcessMemory.returnFreeMemory()
  }
}
