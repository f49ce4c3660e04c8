/// Hears of a ledger's commits, and of trouble with it. Called on the ledger's own thread, in order, so it must not block.
public protocol LedgerObserver: Sendable {
  /// Called after each commit, before those who brought its changes get their answers.
  func committed(_ commit: Commit)
  /// Called when the ledger cannot be written, and with nil once it can again.
  func writingFailed(_ error: LedgerError?)
}
