import Jobs
import Ledger
import Synchronization

/// The jobs that the latest commits changed, for readers that keep a copy of the ledger. It is empty until the first reader asks:
/// until then the ledger does not list changed jobs, which costs nothing.
final class ChangeLog: Sendable {
  /// The minimum number of jobs that are kept. A reader that is further behind reads all jobs.
  static let limit = 65_536
  /// The bytes that events and changes may take that are kept as values: those of some four thousand jobs. A reader that is further
  /// behind has the ledger read.
  static let values = 5 << 20

  /// Jobs that changed, and the position up to which they are complete.
  struct Page: Sendable {
    /// The numbers, each once; nil if the position that was asked for is not known, or not kept.
    var jobs: [JobNumber]?
    var seen: String
    /// True if there are more.
    var isCut: Bool
    /// The jobs and the events themselves; nil if the ledger must be read.
    var values: RecentChanges.Answer?
  }

  private struct Contents {
    /// The name of the run that positions are of: a position of another one is not valid.
    var run = ChangeLog.newRun()
    var isOn = false
    /// True once the daemon stops, so that nobody waits.
    var isEnded = false
    var changes = ChangeList(limit: ChangeLog.limit)
    var recent = RecentChanges(limit: ChangeLog.values, after: 0, from: 0, readAt: Timestamp(microseconds: 0))
    var lastEvent: Int64 = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var tickets = 0

    /// Returns the place that a position is of; nil if it is of another run.
    func place(_ seen: String?) -> Int? {
      guard let words = seen?.split(separator: "-"), words.count == 2, words[0] == run else { return nil }
      return Int(words[1])
    }
  }

  private let state = Mutex(Contents())
  private let clock: Clock

  init(clock: Clock) { self.clock = clock }

  /// Adds the jobs that a commit changed, and resumes the readers that wait.
  func update(_ commit: Commit) {
    let now = clock.steady()
    let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      guard state.isOn else { return [] }
      state.changes.append(commit.changedNumbers)
      state.recent.append(commit, upTo: state.changes.end, at: now)
      // some entries of the log come with no change of a job
      let isNews = !commit.changed.isEmpty || commit.counts.lastEvent > state.lastEvent
      state.lastEvent = commit.counts.lastEvent
      guard isNews else { return [] }
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in woken { continuation.resume() }
  }

  private static func newRun() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

  /// Makes every position unknown, so that all readers read all jobs: something changed about them that is not in the ledger.
  func forgetPositions() {
    let waiting = state.withLock { state in
      state.run = Self.newRun()
      return exchange(&state.waiting, with: [:])
    }
    for continuation in waiting.values { continuation.resume() }
  }

  /// Makes the ledger list the jobs that it changes, from the next commit on.
  func begin(_ ledger: JobLedger) async {
    guard !state.withLock({ $0.isOn }) else { return }
    await ledger.noteChanges()
    state.withLock { state in
      guard !state.isOn else { return }
      state.isOn = true
      state.lastEvent = ledger.counts.lastEvent
      state.recent = RecentChanges(
        limit: ChangeLog.values, after: state.lastEvent, from: state.changes.end, readAt: clock.steady())
    }
  }

  /// Returns the jobs that changed since a position, and the events after a sequence, at most `limit` of each. What comes before these
  /// positions is not kept for longer.
  func page(after sequence: Int64, since seen: String?, limit: Int) -> Page {
    let now = clock.steady()
    return state.withLock { state in
      guard let place = state.place(seen), let page = state.changes.page(from: place, limit: limit) else {
        return Page(jobs: nil, seen: "\(state.run)-\(state.changes.end)", isCut: false)
      }
      state.recent.read(upTo: sequence, place, at: now)
      let values = state.recent.answer(after: sequence, from: place, of: page.jobs, limit: limit)
      return Page(
        jobs: page.jobs, seen: "\(state.run)-\(page.end)", isCut: page.end < state.changes.end, values: values)
    }
  }

  /// Waits until there is a change or an event after these positions, or the task is cancelled. What comes before them is not kept
  /// meanwhile.
  func wait(after sequence: Int64, since seen: String?) async {
    let now = clock.steady()
    let ticket = state.withLock { state in
      if let place = state.place(seen) { state.recent.read(upTo: sequence, place, at: now) }
      state.tickets += 1
      return state.tickets
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          guard !state.isEnded, state.lastEvent <= sequence, state.place(seen) == state.changes.end, !Task.isCancelled
          else { return true }
          state.waiting[ticket] = continuation
          return false
        }
        if isThere { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }
  }

  /// Ends every wait, present and future: the stop of the daemon must not last as long as a reader's wait.
  func end() {
    let waiting = state.withLock { state in
      state.isEnded = true
      return exchange(&state.waiting, with: [:])
    }
    for continuation in waiting.values { continuation.resume() }
  }
}
