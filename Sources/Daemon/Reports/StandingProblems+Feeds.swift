package import Ledger
package import SystemdLink

/// The words for problems of parts that do not speak to people themselves.
extension StandingProblems {
  /// The ledger cannot be written, or can again (nil).
  package func update(ledger error: LedgerError?) {
    let key = Key(area: .ledger)
    guard let error else { return clear(key) }
    set(key, error.words, remedy: "make room there: the same commit is tried until it succeeds")
  }

  /// There is too little space for the ledger, or enough again (nil).
  package func update(shortage words: String?, state: String) {
    let key = Key(area: .space)
    guard let words else { return clear(key) }
    set(key, words, remedy: "make room on the disk of \(state), or lower min_free in waybill.toml")
  }

  /// The journal does not take entries, or does again (nil).
  package func update(journal trouble: JournalTrouble?) {
    let key = Key(area: .journal)
    guard let trouble else { return clear(key) }
    let dropped = trouble.dropped == 0 ? "" : ", \(trouble.dropped) were dropped"
    set(
      key, "the journal does not take entries: \(trouble.waiting) wait\(dropped)",
      remedy: "see systemctl status systemd-journald; waybill watch --since 1h has the events all the same")
  }

}
