import Ledger
import Linux
import Synchronization

/// The memory that much work has needed, given back at the rest that follows.
final class SpareMemory: Sendable {
  /// After fewer steps there is less to give back than the looking costs.
  private static let manySteps = 512

  private let ledger = Mutex<JobLedger?>(nil)

  /// Names the ledger, once it is open.
  func set(_ ledger: JobLedger) { self.ledger.withLock { $0 = ledger } }

  /// Gives back what only a start needs.
  func giveBackAfterStart() {
    ProcessMemory.returnFreeMemory()
    ProcessMemory.forgetCode()
  }

  /// Gives memory back after so many steps of jobs.
  func giveBack(after steps: Int) {
    guard steps >= Self.manySteps else { return }
    ledger.withLock { $0 }?.releaseMemory()
    ProcessMemory.returnFreeMemory()
    ProcessMemory.forgetCode()
  }
}
