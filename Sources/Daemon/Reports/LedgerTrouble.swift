package import Jobs
package import Ledger
package import Messages
import Synchronization

extension LedgerSetAside {
  package var message: Message {
    .ledgerRebuilt(
      damage: path.map { .ledgerDamagedKept(reason: reason, path: $0) } ?? .ledgerDamaged(reason: reason),
      numbers: lastNumber.map { .numbersGoOn(number: $0) } ?? .numbersBeginAnew, stopped: stopped)
  }
}

/// Reports that the ledger cannot be written. While the disk is full, everything waits; any other error ends the daemon.
///
/// The journal gets its entry at once. The log of events is in the ledger itself, so beginning and end of the trouble are written
/// there once it is over.
package final class LedgerTrouble: Sendable {
  private let (errors, tell) = AsyncStream.makeStream(of: LedgerError.self, bufferingPolicy: .bufferingOldest(1))
  private let journal: EventLog
  private let clock: Clock
  private let unwritten = Mutex<[Occurrence]>([])

  package init(journal: EventLog, clock: Clock) {
    self.journal = journal
    self.clock = clock
  }

  /// Reports trouble, or its end (nil). Returns the entries that the log of events can take now.
  package func report(_ error: LedgerError?) -> [Occurrence] {
    let occurrence = logged(error.map { .otherError(why: $0.words) }, orOfEnd: .ledgerWritableAgain)
    if let error, error.kind != .full { tell.yield(error) }
    return unwritten.withLock { unwritten in
      unwritten.append(occurrence)
      return error == nil ? exchange(&unwritten, with: []) : []
    }
  }

  /// Reports that there is too little space to admit files, or enough again (nil). Returns the entry for the log of events.
  package func reportSpace(_ message: Message?) -> Occurrence { logged(message, orOfEnd: .spaceAgain) }

  /// Reports what was found wrong with the ledger when it was opened. Returns the entry for the log of events.
  package func report(opening message: Message) -> Occurrence { logged(message, orOfEnd: message) }

  /// Tells the journal of trouble, or of its end (nil) in other words.
  private func logged(_ trouble: Message?, orOfEnd end: Message) -> Occurrence {
    let message = trouble ?? end
    let occurrence = Occurrence(
      trouble == nil ? .ledgerRecovered : .ledgerProblem, of: .ledger, at: clock.now(), message: message,
      reason: message)
    journal.log(occurrence)
    return occurrence
  }

  /// Waits for an error that the daemon cannot go on after, and throws it.
  package func failWhenBroken() async throws {
    for await error in errors { throw error }
  }
}
