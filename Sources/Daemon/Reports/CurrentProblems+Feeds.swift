package import Ledger
package import Messages
package import SystemdLink

/// The texts of problems that the parts concerned do not put into words themselves.
extension CurrentProblems {
  /// Sets the problem that the ledger cannot be written, or clears it (nil).
  package func update(ledger error: LedgerError?) {
    let key = Key(area: .ledger)
    guard let error else { return clear(key) }
    set(key, .text(error.words), remedy: .makeRoomForCommits)
  }

  /// Sets the problem that there is too little space for the ledger, or clears it (nil).
  package func update(shortage message: Message?, state: String) {
    let key = Key(area: .space)
    guard let message else { return clear(key) }
    set(key, message, remedy: .makeRoomForLedger(directory: state))
  }

  /// Sets the problem that the journal does not accept entries, or clears it (nil).
  package func update(journal trouble: JournalTrouble?) {
    let key = Key(area: .journal)
    guard let trouble else { return clear(key) }
    let message: Message =
      trouble.dropped == 0
      ? .journalRefuses(waiting: trouble.waiting)
      : .journalRefusesDropped(waiting: trouble.waiting, dropped: trouble.dropped)
    set(key, message, remedy: .seeJournald)
  }

}
