import Jobs
import Ledger
import Synchronization

/// What is told when the ledger cannot be written: a full disk holds everything back, anything else ends the daemon.
///
/// The journal is told at once. The log of events is the ledger's own, so it has the beginning and the end of the trouble
/// once that is over.
final class LedgerTrouble: Sendable {
  private let (errors, tell) = AsyncStream.makeStream(of: LedgerError.self, bufferingPolicy: .bufferingOldest(1))
  private let journal: JournalReader
  private let clock: Clock
  private let unwritten = Mutex<[Occurrence]>([])

  init(journal: JournalReader, clock: Clock) {
    self.journal = journal
    self.clock = clock
  }

  /// Takes note of trouble, or of its end (nil). Returns what the log of events is to be told, now that it can be.
  func note(_ error: LedgerError?) -> [Occurrence] {
    let occurrence = error.map { problem($0.words) } ?? recovered("the ledger can be written again")
    journal.read(occurrence)
    if let error, error.kind != .full { tell.yield(error) }
    return unwritten.withLock { unwritten in
      unwritten.append(occurrence)
      return error == nil ? exchange(&unwritten, with: []) : []
    }
  }

  /// Takes note that there is too little space to admit files, or enough again (nil). Returns what the log of events is to be
  /// told.
  func noteSpace(_ words: String?) -> Occurrence {
    let occurrence =
      words.map { problem($0) } ?? recovered("there is space enough for the ledger again: files are admitted")
    journal.read(occurrence)
    return occurrence
  }

  private func problem(_ words: String) -> Occurrence {
    Occurrence(.ledgerProblem, of: .ledger, at: clock.now(), message: words, reason: words)
  }

  private func recovered(_ words: String) -> Occurrence {
    Occurrence(.ledgerRecovered, of: .ledger, at: clock.now(), message: words, reason: words)
  }

  /// Waits for an error that the daemon cannot go on after, and throws it.
  func failWhenBroken() async throws {
    for await error in errors { throw error }
  }
}
