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
    var routes: [String: SpoolRoute]
    var ahead: [SpoolRoute: Int] = [:]
    var isClosed = false
    var isPaused = false
    /// The file system of the ledger, the space that it must have left (read at each check), and the receiver of a shortage and of its end.
    var space: (directory: Directory, minFree: @Sendable () -> Int64, report: @Sendable (Message?) -> Void)?
    var shortage: Message?
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

  /// Creates the room; `routes` are the present routes, by spool.
  package init(admitAhead: Int, routes: [String: SpoolRoute], on machine: Machine) throws(FileError) {
    door = Mutex(Door(admitAhead: admitAhead, routes: routes))
    let ring: @Sendable () -> Void = { [weak self] in self?.change { _ in } }
    let alarm = try Alarm("waybill.space", on: machine, ring: ring)
    self.alarm.withLock { $0 = alarm }
  }

  /// Stops admission while the file system of the ledger has less than `minFree` left; jobs in flight continue. `report` is called with the
  /// reason when space becomes short, and with nil when that is over.
  package func watch(
    _ directory: Directory, minFree: @escaping @Sendable () -> Int64, report: @escaping @Sendable (Message?) -> Void
  ) {
    change { $0.space = (directory, minFree, report) }
  }

  /// Checks the space, and reports a change. A shortage ends at a sixteenth above the limit, so that admission does not flutter.
  @discardableResult
  package func hasSpace() -> Bool {
    let (space, shortage) = door.withLock { ($0.space, $0.shortage) }
    guard let space, case let minFree = space.minFree(), minFree > 0 || shortage != nil else { return true }
    let free: Int64
    do throws(FileError) {
      free = try space.directory.fileSystem().availableBytes
    } catch {
      return true  // a ledger that cannot be written is reported elsewhere
    }
    let (now, isNews) = door.withLock { door -> (Message?, Bool) in
      let wasShort = door.shortage != nil
      let isShort = free < (wasShort ? minFree + minFree / 16 : minFree)
      if isShort != wasShort {
        door.shortage = isShort ? .spaceShort(free: free, directory: space.directory.path, least: minFree) : nil
      }
      return (door.shortage, isShort != wasShort)
    }
    if isNews { space.report(now) }
    return now == nil
  }

  /// Returns the facts, besides pauses, that keep a spool's files from being claimed: if the ledger cannot be written, the shortage of
  /// space, and the number of the spool's queued and active jobs, without those that wait for a medium, with its limit.
  package func obstacles(of spool: String) -> (ledgerFails: Bool, shortage: Message?, ahead: Int, admitAhead: Int) {
    hasSpace()
    return door.withLock { ($0.isClosed, $0.shortage, $0.ahead(of: spool), $0.admitAhead) }
  }

  package func configure(admitAhead: Int, routes: [String: SpoolRoute]) {
    change { ($0.admitAhead, $0.routes) = (admitAhead, routes) }
  }

  package func update(_ counts: LedgerCounts) {
    let isPaused = counts.isPaused(.intake) || counts.isPaused(.recovered)
    change { door in
      door.ahead = counts.ahead
      door.isPaused = isPaused
    }
  }

  /// Stops admission while the ledger cannot be written (true), or continues it (false).
  package func close(_ isClosed: Bool) { change { $0.isClosed = isClosed } }

  /// Waits until a spool may claim files, and returns their number; 0 only if the task was cancelled or ``stopWaiting(_:)`` was
  /// called. At most one call waits for each spool, and the spool's claims are in the ledger before the next.
  func wait(_ spool: String) async -> Int {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // set before the task is checked, so that no cancellation is missed
        change { door in
          let other = door.waiting.updateValue(continuation, forKey: spool)
          precondition(other == nil, "two runs of a spool wait for room")
        }
        if Task.isCancelled { stopWaiting(spool) }
      }
    } onCancel: {
      stopWaiting(spool)
    }
  }

  func stopWaiting(_ spool: String) {
    door.withLock { $0.waiting.removeValue(forKey: spool) }?.resume(returning: 0)
  }

  /// Makes a change, then gives room to waiting spools.
  private func change(_ change: (inout Door) -> Void) {
    let isAsked = door.withLock { door in
      change(&door)
      return !door.waiting.isEmpty
    }
    guard isAsked else { return }
    guard hasSpace() else {
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
