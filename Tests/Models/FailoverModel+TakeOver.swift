/// A take-over of the spool.
extension FailoverModel {
  /// The lock is taken, and the holder named. This is one step: a host that is stopped between the two, for so long that it loses the
  /// lock, is the one thing that is not looked at here (`Tenure` asks for the lock once more just before).
  mutating func lockTaken(by host: Int) {
    lock = host
    // The first look comes after it has named itself: it may have lost the lock by then.
    hosts[host].isFresh = false
    let isComplete = hosts[host].isComplete || flaw == .takeOverIsForgotten || flaw == .completeTooEarly
    hosts[host].knowsAll = holder == host && isComplete
    hosts[host].isFirst = holder == nil
    if holder == nil {
      hosts[host].previous = nil
    } else if holder != host {
      hosts[host].previous = holder
    } else if flaw == .completedInTheSpool {
      hosts[host].previous = after
    } else if isComplete {
      hosts[host].previous = nil
    } else {
      hosts[host].previous = after ?? (hosts[host].wasComplete ? holder : nil)
    }
    name(host, after: flaw == .completeTooEarly ? nil : hosts[host].previous)
    hosts[host].next = hosts[host].knowsAll ? .takeOverList : .takeOverWait
  }

  /// It held the spool last as far as is known, but its ledger does not have that tenure as complete.
  private func holderWasOwn(_ host: Int) -> Bool { !hosts[host].isFirst && !hosts[host].knowsAll }

  mutating func name(_ host: Int, after: Int?) {
    for other in hosts.indices {
      hosts[other].isNamed = other == host
      hosts[other].isComplete = false
    }
    holder = host
    self.after = after
  }

  /// The row becomes what stands beside the file. After the host's own tenure the row is right, but for what a crash kept from it.
  mutating func inherit(_ host: Int) {
    let row = hosts[host].row
    switch (file, row) {
    case (_, .registered), (_, .done): break
    case (.claimed, _):
      if flaw == .recordsUnread {
        hosts[host].row = .upload
      } else if stopped {
        hosts[host].row = .stopped(stored)
      } else if case .stopped = row, hosts[host].previous == nil {
        stopped = true
      } else {
        hosts[host].row = stored.map { .stored($0) } ?? .upload
      }
    case (.dropped, _): hosts[host].row = .none
    case (.gone, .none): break
    case (.gone, _): if hosts[host].previous != nil || holderWasOwn(host) { hosts[host].row = .moved }
    }
  }
}
