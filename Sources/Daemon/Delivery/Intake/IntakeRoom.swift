import Jobs
package import Ledger
package import Linux
package import Messages
import Synchronization

/// The room for new jobs: `admit_ahead` minus the jobs that are queued, active or deferred, and none while the ledger has no
/// space or a person paused the intake. All other files wait in their spools. Jobs that wait for a medium do not count: it may stay
/// away for long, and no other file waits for it.
package final class IntakeRoom: Sendable {
  private struct Door {
    var shares: RoomShares
    var isClosed = false
    var isPaused = false
    var space: LedgerSpace?
    var waiting: [String: CheckedContinuation<Int, Never>] = [:]
  }

  /// The time until a disk that is short of space is checked again.
  private static let pause: Duration = .seconds(1)

  private let door: Mutex<Door>
  private let alarm: Mutex<Alarm?> = Mutex(nil)

  /// Creates the room; `priorities` are those of the spools, by name.
  package init(admitAhead: Int, priorities: [String: Int], on machine: Machine) throws(ThreadError) {
    door = Mutex(Door(shares: RoomShares(admitAhead: admitAhead, priorities: priorities)))
    let ring: @Sendable () -> Void = { [weak self] in self?.change { _ in } }
    let alarm = try Alarm("waybill.space", on: machine, ring: ring)
    self.alarm.withLock { $0 = alarm }
  }

  /// Makes admission stop whenever there is too little space.
  package func watch(_ space: LedgerSpace) { change { $0.space = space } }

  /// Checks the space now, so that a report about the daemon is up to date.
  package func lookAtSpace() { _ = door.withLock(\.space)?.isEnough() }

  /// The things that keep files from being claimed, besides pauses.
  package struct Obstacles: Sendable, Equatable {
    /// True if the ledger cannot be written.
    package var ledgerFails: Bool
    /// The shortage of space for the ledger, in words; nil if there is none.
    package var shortage: Message?
    /// The number of jobs that are queued, active or deferred, without those that wait for a medium.
    package var ahead: Int
    /// The limit of that number, `admit_ahead`.
    package var admitAhead: Int

    /// True if no room is left below `admit_ahead`.
    package var isFull: Bool { ahead >= admitAhead }
  }

  /// The present obstacles.
  package var obstacles: Obstacles {
    let (door, space) = door.withLock { (($0.isClosed, $0.shares.ahead, $0.shares.admitAhead), $0.space) }
    return Obstacles(ledgerFails: door.0, shortage: space?.shortage, ahead: door.1, admitAhead: door.2)
  }

  /// Changes to other limits and other spools.
  package func configure(admitAhead: Int, priorities: [String: Int]) {
    change { $0.shares.configure(admitAhead: admitAhead, priorities: priorities) }
  }

  /// Updates the number of jobs and the pauses after a commit.
  package func update(_ counts: LedgerCounts) {
    let ahead = [JobState.queued, .active, .deferred].reduce(0) { $0 + counts.jobs[$1] } - counts.waitingForMedium
    let isPaused = counts.isPaused(.intake) || counts.isPaused(.recovered)
    change { door in
      door.shares.ahead = ahead
      door.isPaused = isPaused
    }
  }

  /// Stops admission while the ledger cannot be written, and lets it go on.
  package func close(_ isClosed: Bool) { change { $0.isClosed = isClosed } }

  /// Records that a spool's claims are in the ledger.
  func used(by spool: String) { change { $0.shares.used(spool) } }

  /// Records that a spool has nothing to claim now; room that it was given is free again.
  func rest(_ spool: String) { change { $0.shares.rest(spool) } }

  /// Waits until a spool may claim files, and returns their number; 0 only if the task was cancelled or ``stopWaiting(_:)`` was
  /// called. At most one call waits for each spool.
  func wait(_ spool: String) async -> Int {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        change { door in
          // set before the task is checked, so that no cancellation is missed
          door.waiting[spool] = continuation
          door.shares.wait(spool)
        }
        if Task.isCancelled { stopWaiting(spool) }
      }
    } onCancel: {
      stopWaiting(spool)
    }
  }

  /// Ends the wait of a spool; without one, nothing happens but that room which was given to it is free again.
  func stopWaiting(_ spool: String) {
    door.withLock { door in
      door.shares.rest(spool)
      return door.waiting.removeValue(forKey: spool)
    }?.resume(returning: 0)
  }

  /// Makes a change, and then gives room to the spools that wait for it.
  private func change(_ change: (inout Door) -> Void) {
    let (space, isAsked) = door.withLock { door in
      change(&door)
      return (door.space, !door.waiting.isEmpty)
    }
    guard isAsked else { return }
    if let space, !space.isEnough() {
      alarm.withLock { $0 }?.setIfUnset(after: Self.pause)
      return
    }
    let given = door.withLock { door -> [(CheckedContinuation<Int, Never>, Int)] in
      guard !door.isClosed, !door.isPaused else { return [] }
      var given: [(CheckedContinuation<Int, Never>, Int)] = []
      while let (spool, room) = door.shares.give() {
        if let waiter = door.waiting.removeValue(forKey: spool) { given.append((waiter, room)) }
      }
      return given
    }
    for (waiter, room) in given { waiter.resume(returning: room) }
  }
}
