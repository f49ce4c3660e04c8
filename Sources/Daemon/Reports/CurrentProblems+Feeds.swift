package import Jobs
package import Ledger
package import Messages
package import SystemdLink

/// The texts of problems that the parts concerned do not put into words themselves.
extension CurrentProblems {
  package func update(ledger error: LedgerError?) {
    set(Key(area: .ledger), error.map { .otherError(why: $0.words) }, remedy: .makeRoomForCommits)
  }

  package func update(shortage message: Message?, state: String) {
    set(Key(area: .space), message, remedy: .makeRoomForLedger(directory: state))
  }

  /// Sets the problem that the journal does not accept entries, or clears it (nil).
  package func update(journal trouble: JournalTrouble?) {
    let message = trouble.map { Message.journalRefuses(waiting: $0.waiting, dropped: $0.dropped) }
    set(Key(area: .journal), message, remedy: .seeJournald)
  }

  /// Sets the problem that there are fewer descriptors than `concurrency` needs, or clears it.
  /// - Returns: the problem in words, if there is one.
  package func update(_ descriptors: DescriptorPlan, for concurrency: Concurrency) -> String? {
    let key = Key(area: .configuration, cause: "concurrency")
    guard case .fixed(let wanted) = concurrency, wanted > descriptors.slots else {
      clear(key)
      return nil
    }
    let message: Message = .tooFewDescriptors(wanted: wanted, slots: descriptors.slots, descriptors: descriptors.all)
    set(key, message, remedy: .raiseDescriptors)
    return "\(message.text): \(Message.raiseDescriptors.text)"
  }
}
