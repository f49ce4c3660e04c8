import Ledger

/// What is told when the ledger cannot be written: a full disk holds everything back, anything else ends the daemon.
final class LedgerTrouble: Sendable {
  private let (errors, tell) = AsyncStream.makeStream(of: LedgerError.self, bufferingPolicy: .bufferingOldest(1))
  private let journal: JournalReader

  init(journal: JournalReader) { self.journal = journal }

  /// Takes note of trouble, or of its end (nil). Returns what the status line has to say meanwhile.
  func note(_ error: LedgerError?) -> String? {
    journal.ledgerProblem(error?.words, over: "the ledger can be written again")
    if let error, error.kind != .full { tell.yield(error) }
    return error?.words
  }

  /// Takes note that there is too little space to admit files, or enough again (nil).
  func noteSpace(_ words: String?) {
    journal.ledgerProblem(words, over: "there is space enough for the ledger again: files are admitted")
  }

  /// Waits for an error that the daemon cannot go on after, and throws it.
  func failWhenBroken() async throws {
    for await error in errors { throw error }
  }
}
