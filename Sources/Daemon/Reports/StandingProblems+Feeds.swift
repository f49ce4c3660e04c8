package import Ledger
package import Messages
package import SystemdLink

/// The words for problems of parts that do not speak to people themselves.
extension StandingProblems {
  /// The ledger cannot be written, or can again (nil).
  package func update(ledger error: LedgerError?) {
    let key = Key(area: .ledger)
    guard let error else { return clear(key) }
    set(key, .text(error.words), remedy: .makeRoomForCommits)
  }

  /// There is too little space for the ledger, or enough again (nil).
  package func update(shortage message: Message?, state: String) {
    let key = Key(area: .space)
    guard let message else { return clear(key) }
    set(key, message, remedy: .makeRoomForLedger(directory: state))
  }

  /// The journal does not take entries, or does again (nil).
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
