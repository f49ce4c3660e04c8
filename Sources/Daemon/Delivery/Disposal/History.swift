package import Jobs
package import Ledger
package import Linux
package import Reports
import Settings
import Spool

/// Removes jobs that are done from the ledger once they have been there for `history`.
package final class History: Sendable {
  let ledger: JobLedger
  let current: CurrentConfiguration
  let journal: EventLog
  private let clock: Clock
  private let jumps: ClockJumps
  private let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let alarm: Alarm

  package init(
    ledger: JobLedger, current: CurrentConfiguration, journal: EventLog, clock: Clock, jumps: ClockJumps,
    on machine: Machine
  ) throws(ThreadError) {
    self.ledger = ledger
    self.current = current
    self.journal = journal
    self.clock = clock
    self.jumps = jumps
    alarm = try Alarm("waybill.history", on: machine, ring: { [turn] in turn.yield() })
  }

  private var keep: Duration { current.now.configuration.daemon.history }

  /// The number of jobs that one commit removes: few, so that it delays nothing else.
  private static let batch = 64

  /// The time until the next look.
  private var pause: Duration { min(max(keep / 4, .seconds(1)), .seconds(600)) }

  /// Makes ``run()`` look now: `history` may have changed, or the clock was set.
  package func look() { turn.yield() }

  /// Removes due jobs at intervals until the task is cancelled.
  ///
  /// - Throws: the ledger's error, and `CancellationError`.
  package func run() async throws {
    var trouble: String?
    var clocks = try await beginning()
    var noted = clocks
    var wasHeld = false
    alarm.setIfUnset(after: pause)
    for await _ in turns {
      let wait = clocks.look(now: clock.now(), steady: clock.steady(), after: jumps.last)
      if clocks.mustBeNoted(after: noted) {
        try await save(clocks)
        noted = clocks
      }
      if let wait {
        wasHeld = true
        let words = clocks.jump.map { "history: \(HistoryPace.words($0, wait))" }
        if trouble == nil, let words { journal.notice(words) }
        trouble = words ?? trouble
      } else {
        if wasHeld { try await ledger.redateEnds() }
        let words = try await pass()
        wasHeld = false
        if let words, words != trouble { journal.notice(words) }
        trouble = words
      }
      alarm.set((clock.steady() + pause).microseconds)
    }
    try Task.checkCancellation()
  }

  /// Returns the pace that the last run of the daemon noted. An empty ledger begins a new pace: it has no job that could be removed too
  /// early.
  private func beginning() async throws -> HistoryPace {
    let (now, steady) = (clock.now(), clock.steady())
    let workers = current.now.stages.workers
    var note = try await workers.run { [ledger] in ledger.readPace() }
    if note == nil, JobState.allCases.allSatisfy({ ledger.counts.jobs[$0] == 0 }) { note = "\(now.microseconds) 0\n" }
    let pace = HistoryPace(note: note, now: now, steady: steady)
    try await self.save(pace)
    return pace
  }

  /// Saves the pace for the next run. If the disk is full there is no note, and jobs stay for a day after the next start.
  private func save(_ pace: HistoryPace) async throws {
    let text = pace.note
    try await current.now.stages.workers.run { [ledger, journal] in
      do throws(FileError) {
        try ledger.notePace(text)
      } catch {
        journal.notice("history: the time of the clock cannot be noted: \(error.words)")
      }
    }
  }

  /// Removes the jobs that are due. The removal of a file is not fsynced, and a power cut may bring the file back. So the
  /// removals in all spools are made durable before a row goes.
  ///
  /// - Returns: the reason why no job may be removed now although one is due; nil if there is none.
  private func pass() async throws -> String? {
    let stages = current.now.stages
    let now = stages.clock.now()
    try await ledger.forgetContents { spool in
      guard let options = stages.parts[spool]?.options, options.duplicates != .send else { return nil }
      return now + (.zero - JobLedger.contentMemory)
    }
    let before = now + (.zero - keep)
    guard try await ledger.hasDone(before: before) else { return nil }
    for (name, directory) in stages.spools.sorted(by: { $0.key < $1.key }) {
      do {
        try await stages.workers.run { try directory.held().settleRemovals() }
      } catch {
        return "no job leaves the ledger now: removals in spool \(name) are not certain: \(error)"
      }
    }
    Failpoint.historySynced.pass()
    var after: JobNumber?
    while let page = try await ledger.forget(before: before, after: after, atMost: Self.batch) {
      after = page
      try Task.checkCancellation()
    }
    return nil
  }
}
