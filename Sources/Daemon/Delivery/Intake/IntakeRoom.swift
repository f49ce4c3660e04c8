import Jobs
package import Ledger
package import Linux
package import Messages
import Synchronization

/// The room for new jobs. Each spool has its own room: the limit (`DaemonSettings.admitAhead`) minus its queued and active jobs on its
/// present route. So a spool whose destination is down, paused or slow takes no room from others, and neither do jobs of an earlier
/// route. There is no room while the ledger has no space or the intake is paused. Other files wait in their spools.
package final class IntakeRoom: Sendable {
  private struct Door {
    var admitAhead: Int
    /// The routes of new files, by spool.
    var routes: [String: SpoolRoute]
    /// The jobs that are queued or active.
    var ahead: [SpoolRoute: Int] = [:]
    var isClosed = false
    var isPaused = false
    var space: LedgerSpace?
    var waiting: [String: CheckedContinuation<Int, Never>] = [:]

    func ahead(of spool: String) -> Int { routes[spool].flatMap { ahead[$0] } ?? 0 }

    func room(for spool: String) -> Int { min(IntakeRoom.most, admitAhead - ahead(of: spool)) }
  }

  /// The most files that get room at once, to be claimed and admitted together.
  static let most = 256
  /// The time until a disk that is short of space is checked again.
  private static let pause: Duration = .seconds(1)

  private let door: Mutex<Door>
  private let alarm: Mutex<Alarm?> = Mutex(nil)

  /// Creates the room; `routes` are the routes of the spools' files, by name.
  package init(admitAhead: Int, routes: [String: SpoolRoute], on machine: Machine) throws(FileError) {
    door = Mutex(Door(admitAhead: admitAhead, routes: routes))
    let ring: @Sendable () -> Void = { [weak self] in self?.change { _ in } }
    let alarm = try Alarm("waybill.space", on: machine, ring: ring)
    self.alarm.withLock { $0 = alarm }
  }

  /// Stops admission whenever there is too little space.
  package func watch(_ space: LedgerSpace) { change { $0.space = space } }

  /// Checks the space now, so that a report about the daemon is up to date.
  package func lookAtSpace() { _ = door.withLock(\.space)?.check() }

  /// The things that keep a spool's files from being claimed, besides pauses.
  package struct Obstacles: Sendable, Equatable {
    /// True if the ledger cannot be written.
    package var ledgerFails: Bool
    /// The shortage of space for the ledger, in words; nil if there is none.
    package var shortage: Message?
    /// The number of the spool's jobs that are queued or active, without those that wait for a medium.
    package var ahead: Int
    /// The limit of that number.
    package var admitAhead: Int

    /// True if no room is left below the limit.
    package var isFull: Bool { ahead >= admitAhead }
  }

  /// Returns the present obstacles for a spool.
  package func obstacles(of spool: String) -> Obstacles {
    let (door, space) = door.withLock { (($0.isClosed, $0.ahead(of: spool), $0.admitAhead), $0.space) }
    return Obstacles(ledgerFails: door.0, shortage: space?.shortage, ahead: door.1, admitAhead: door.2)
  }

  /// Changes to another limit and other spools.
  package func configure(admitAhead: Int, routes: [String: SpoolRoute]) {
    change { ($0.admitAhead, $0.routes) = (admitAhead, routes) }
  }

  /// Updates the number of jobs and the pauses after a commit.
  package func update(_ counts: LedgerCounts) {
    let isPaused = counts.isPaused(.intake) || counts.isPaused(.recovered)
    change { door in
      door.ahead = counts.ahead
      door.isPaused = isPaused
    }
  }

  /// Stops admission while the ledger cannot be written, and continues it.
  package func close(_ isClosed: Bool) { change { $0.isClosed = isClosed } }

  /// Waits until a spool may claim files, and returns their number; 0 only if the task was cancelled or ``stopWaiting(_:)`` was
  /// called. At most one call waits for each spool, and the spool's claims are in the ledger before the next.
  func wait(_ spool: String) async -> Int {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // set before the task is checked, so that no cancellation is missed
        change { $0.waiting[spool] = continuation }
        if Task.isCancelled { stopWaiting(spool) }
      }
    } onCancel: {
      stopWaiting(spool)
    }
  }

  /// Ends the wait of a spool; without one, nothing happens.
  func stopWaiting(_ spool: String) {
    door.withLock { $0.waiting.removeValue(forKey: spool) }?.resume(returning: 0)
  }

  /// Makes a change, then gives room to waiting spools.
  private func change(_ change: (inout Door) -> Void) {
    let (space, isAsked) = door.withLock { door in
      change(&door)
      return (door.space, !door.waiting.isEmpty)
    }
    guard isAsked else { return }
    if let space, !space.check() {
      alarm.withLock { $0 }?.setIfUnset(after: Self.pause)
      return
    }
    let given = door.withLock { door -> [(CheckedContinuation<Int, Never>, Int)] in
      guard !door.isClosed, !door.isPaused else { return [] }
      return door.waiting.keys.compactMap { spool in
        let room = door.room(for: spool)
        return room > 0 ? door.waiting.removeValue(forKey: spool).map { ($0, room) } : nil
      }
    }
    for (waiter, room) in given { waiter.resume(returning: room) }
  }
}
