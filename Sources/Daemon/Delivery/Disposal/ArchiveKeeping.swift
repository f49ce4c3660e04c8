package import Jobs
package import Linux
package import Reports
import Spool
import Synchronization

/// Removes files from archives that have been there for `archive_keep`: only those that the daemon itself moved there, and that
/// nobody has touched since.
package final class ArchiveKeeping: Sendable {
  /// The number of files that are looked at in one step, and the pause after it, so that the disk is not kept busy.
  private static let slice = 64
  private static let rest = Duration.milliseconds(50)

  private let current: CurrentConfiguration
  private let journal: EventLog
  private let clock: Clock
  private let jumps: ClockJumps
  private let machine: Machine
  private let paces = Mutex<[String: ArchivePace]>([:])
  private let told = Mutex<[String: String]>([:])
  private let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let alarm: Alarm

  package init(
    current: CurrentConfiguration, journal: EventLog, clock: Clock, jumps: ClockJumps, on machine: Machine
  ) throws(ThreadError) {
    self.current = current
    self.journal = journal
    self.clock = clock
    self.jumps = jumps
    self.machine = machine
    alarm = try Alarm("waybill.archives", on: machine, ring: { [turn] in turn.yield() })
  }

  /// Makes ``run()`` look now: `archive_keep` may have changed, or the clock was set.
  package func look() { turn.yield() }

  /// Removes what is due, again and again, until the task is cancelled.
  package func run() async throws {
    turn.yield()
    for await _ in turns {
      var next: Duration?
      for (spool, part) in current.now.stages.parts.sorted(by: { $0.key < $1.key }) {
        guard let keep = part.options.archiveKeep, let index = part.archive?.index else { continue }
        let pause = await lookAt(index, of: spool, keep: keep)
        next = min(next ?? pause, pause)
      }
      alarm.set(next.map { (clock.steady() + $0).microseconds })
    }
    try Task.checkCancellation()
  }

  /// - Returns: the time until the next look.
  private func lookAt(_ index: ArchiveIndex, of spool: String, keep: Duration) async -> Duration {
    let workers = current.now.stages.workers
    do {
      if let (count, error) = index.takeFailures() {
        journal.notice(
          "archive of spool \(spool): \(count) files stay for ever, since they could not be listed: \(error.words)")
      }
      let (now, steady) = (clock.now(), clock.steady())
      let isNew = paces.withLock { $0[spool] == nil }
      let stored = isNew ? try await workers.run { index.readNote() } : nil
      let (wait, jump, text) = paces.withLock { paces in
        var pace = paces[spool] ?? ArchivePace(note: stored, now: now, steady: steady)
        let wait = pace.look(now: now, steady: steady, after: jumps.last)
        paces[spool] = pace
        return (wait, pace.jump, pace.note)
      }
      try await workers.run { try index.append(text) }
      guard let day = try await workers.run({ try index.oldestDay(before: now + (.zero - keep)) }) else {
        return ArchivePace.pause
      }
      if let wait {
        if let jump { report(spool, ArchivePace.words(jump, wait)) }
        return min(wait, ArchivePace.pause)
      }
      try await remove(day, index, spool, keep)
      report(spool, nil)
      let after = paces.withLock { paces in
        paces[spool]?.removed(steady: clock.steady())
        return paces[spool]?.note ?? ""
      }
      try await workers.run { try index.append(after) }
    } catch is CancellationError {
      return ArchivePace.pause
    } catch {
      report(spool, "nothing is removed now: \(error)")
    }
    return ArchivePace.pause
  }

  private func remove(_ day: String, _ index: ArchiveIndex, _ spool: String, _ keep: Duration) async throws {
    let workers = current.now.stages.workers
    var expiry = try await workers.run { try ArchiveExpiry(of: day, in: index) }
    var isDone = false
    while !isDone {
      let before = expiry
      (expiry, isDone) = try await workers.run {
        var next = before
        let isDone = try next.goOn(upTo: Self.slice)
        return (next, isDone)
      }
      if !isDone { try await machine.sleep(for: Self.rest) }
    }
    let (removed, kept) = (expiry.removed, expiry.kept)
    let others = kept == 0 ? "" : "; \(kept) that somebody has changed, linked or opened since stay"
    journal.notice(
      "archive of spool \(spool): removed \(removed) file\(removed == 1 ? "" : "s") archived on \(day), after \(keep.inUnits)\(others)"
    )
  }

  /// Reports a state once while it lasts; nil ends it.
  private func report(_ spool: String, _ words: String?) {
    let isNew = told.withLock { told in
      defer { told[spool] = words.map { String($0.prefix(24)) } }
      return told[spool] == nil
    }
    if let words, isNew { journal.notice("archive of spool \(spool): \(words)") }
  }
}
