package import Jobs
package import Ledger
package import Linux
package import Reports
import Seams
import Settings
import Spool
import Synchronization

/// Removes jobs that are done from the ledger once they have been there for `history`.
package final class History: Sendable {
  let ledger: JobLedger
  let current: CurrentConfiguration
  let journal: EventLog
  private let clock: Clock
  private let pace: Mutex<HistoryPace>
  private let (rings, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let alarm: Alarm

  package init(
    ledger: JobLedger, current: CurrentConfiguration, journal: EventLog, clock: Clock, on machine: Machine
  ) throws(FileError) {
    self.ledger = ledger
    self.current = current
    self.journal = journal
    self.clock = clock
    pace = Mutex(HistoryPace(now: clock.now(), steady: clock.steady()))
    alarm = try Alarm("waybill.history", on: machine, ring: { [ring] in ring.yield() })
  }

  private var keep: Duration { current.now.configuration.daemon.history }

  /// The number of jobs that one commit removes: few, so that it delays nothing else.
  private static let batch = 64

  private var pause: Duration { min(max(keep / 4, .seconds(1)), .seconds(600)) }

  /// Makes ``run()`` look now: `history` may have changed, or the clock was set.
  package func wake() { ring.yield() }

  /// Compares the clocks, and holds removals if one was set. Must not block. Called at each commit: a clock that is set, and set right
  /// again before the next look, has dated the jobs that ended in between.
  package func holdIfClockWasSet() {
    // The note carries the hold across a restart, so it is written at once.
    if pace.withLock({ $0.holdIfSet(now: clock.now(), steady: clock.steady()) }) { wake() }
  }

  /// Removes what is due, again and again, until the task is cancelled.
  package func run() async throws {
    var trouble: String?
    var noted = try await beginning()
    alarm.setIfUnset(after: pause)
    for await _ in rings {
      let (wait, clocks) = pace.withLock { pace in (pace.advance(now: clock.now(), steady: clock.steady()), pace) }
      if clocks.mustBeNoted(after: noted) {
        try await save(clocks)
        noted = clocks
      }
      if let wait {
        let words = clocks.jump.map { "history: \(HistoryPace.words($0, wait))" }
        if trouble == nil, let words { journal.notice(words) }
        trouble = words ?? trouble
      } else {
        let words = try await pass()
        if let words, words != trouble { journal.notice(words) }
        trouble = words
      }
      alarm.set((clock.steady() + pause).microseconds)
    }
    try Task.checkCancellation()
  }

  /// Returns the pace that the last run of the daemon noted. An empty ledger holds nothing: it has no job that could go too early.
  private func beginning() async throws -> HistoryPace {
    let now = clock.now()
    let workers = current.now.workers
    var note = try await workers.run { [ledger] in ledger.readPace() }
    if note == nil, JobState.allCases.allSatisfy({ ledger.counts.jobs[$0] == 0 }) { note = "\(now.microseconds) 0\n" }
    let known = note
    let clocks = pace.withLock { pace in
      // An absence lasts until now, which is later than the time in any note.
      _ = pace.holdIfSet(now: clock.now(), steady: clock.steady())
      pace.goOn(from: known)
      return pace
    }
    try await save(clocks)
    return clocks
  }

  /// Saves the pace for the next run. If the disk is full there is no note, and jobs stay for a day after the next start.
  private func save(_ pace: HistoryPace) async throws {
    let text = pace.note
    try await current.now.workers.run { [ledger, journal] in
      do throws(FileError) {
        try ledger.notePace(text)
      } catch {
        journal.notice("history: the time of the clock cannot be noted: \(error.words)")
      }
    }
  }

  /// Removes the jobs that are due; returns why none may be removed although one is due. The removals of files are made durable before a
  /// row goes, so that no power cut brings back a file without a row.
  private func pass() async throws -> String? {
    let stages = current.now
    let now = stages.clock.now()
    try await ledger.forgetContents { spool in
      guard let options = stages.parts[spool]?.options, options.duplicates != .send else { return nil }
      return now + (.zero - JobLedger.contentMemory)
    }
    let before = now + (.zero - keep)
    var done = try await ledger.done(before: before, after: nil, limit: Self.batch)
    if done.isEmpty { return nil }
    // Nothing is removed from a spool that keeps its files, whose medium may be away for long.
    for (name, directory) in stages.spools.sorted(by: { $0.key < $1.key }) where !directory.options.keepsFiles {
      do {
        try await stages.workers.run { try directory.held().settleRemovals() }
      } catch {
        return "no job leaves the ledger now: removals in spool \(name) are not certain: \(error)"
      }
    }
    Failpoint.historySynced.pass()
    while let last = done.last {
      try await ledger.forget(done)
      try Task.checkCancellation()
      done = try await ledger.done(before: before, after: last, limit: Self.batch)
    }
    return nil
  }
}

/// Decides when jobs may be removed from the ledger, by the wall clock. After a jump of that clock nothing is removed for a day, which
/// gives a person time to set it right. A time for which the daemon was off looks like a jump.
struct HistoryPace: Equatable {
  /// The time after which a note of an earlier look is replaced, although nothing else has changed.
  private static let noteInterval = Duration.seconds(3600)
  static let hold = Duration.seconds(86_400)
  /// The longest time that the daemon may be off without such a hold.
  static let longestAbsence = Duration.seconds(86_400)
  /// The largest difference of the two clocks between two looks that is no jump.
  static let tolerance = Duration.seconds(3600)

  private var wall: Timestamp
  private var steady: Timestamp
  /// The time on the steady clock before which nothing is removed.
  private var heldUntil: Timestamp
  /// The jump because of which nothing is removed now; nil if there was none.
  private(set) var jump: Duration?

  /// Begins with the clocks as they are. Nothing is removed in the first day.
  init(now: Timestamp, steady: Timestamp) {
    wall = now
    self.steady = steady
    heldUntil = steady + Self.hold
  }

  /// Continues from the note of an earlier run of the daemon, unless a clock was set since the start.
  mutating func goOn(from note: String?) {
    let numbers = (note ?? "").split(whereSeparator: \.isWhitespace).compactMap { Int64($0) }
    guard numbers.count == 2, jump == nil else { return }
    let absence = wall - Timestamp(microseconds: numbers[0])
    guard absence >= .zero, absence <= Self.longestAbsence else {
      jump = absence
      return
    }
    heldUntil = steady + max(.zero, min(.microseconds(numbers[1]), Self.hold))
  }

  /// The text from which the next run of the daemon continues.
  var note: String { "\(wall.microseconds) \(max(.zero, heldUntil - steady).microseconds)\n" }

  /// Returns true if the note of an earlier look would mislead the next run: an hour has passed since, or removals were put off.
  func mustBeNoted(after other: HistoryPace) -> Bool {
    steady - other.steady >= Self.noteInterval || heldUntil != other.heldUntil
  }

  /// Compares the clocks with their last values. If one was set (``tolerance``), holds removals and returns true.
  mutating func holdIfSet(now: Timestamp, steady: Timestamp) -> Bool {
    let jumped = (now - wall) - (steady - self.steady)
    (wall, self.steady) = (now, steady)
    guard jumped > Self.tolerance || jumped < .zero - Self.tolerance else { return false }
    heldUntil = max(heldUntil, steady + Self.hold)
    jump = jumped
    return true
  }

  /// Compares the clocks; returns nil if jobs may be removed now, otherwise the time to wait.
  mutating func advance(now: Timestamp, steady: Timestamp) -> Duration? {
    _ = holdIfSet(now: now, steady: steady)
    let left = heldUntil - steady
    guard left <= .zero else { return left }
    jump = nil
    return nil
  }

  static func words(_ jump: Duration, _ wait: Duration) -> String {
    let time = (jump < .zero ? .zero - jump : jump).inUnits
    let way = jump < .zero ? "set back by \(time)" : "set forward by \(time), or the daemon was off for so long"
    return
      "nothing is removed for \(wait.inUnits): the clock was \(way). If the date is wrong, set it right before then"
  }
}
