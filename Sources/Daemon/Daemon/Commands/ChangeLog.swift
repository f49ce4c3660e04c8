import Jobs
import Ledger
import Synchronization

/// The jobs that the latest commits changed, for readers that keep a copy of the ledger, and a place to wait for more: it wakes
/// these readers, and those of events. It keeps no events: each reader reads the ledger at its own pace, so that a slow one costs
/// no memory.
///
/// The list of jobs is empty until the first reader asks, so that it takes no memory without one.
final class ChangeLog: Sendable {
  /// The minimum number of changes that are kept. A reader that is further behind reads all jobs.
  static let limit = 131_072

  /// Jobs that changed, and the position up to which they are complete.
  struct Page: Sendable {
    /// The numbers, each once; nil if the position that was asked for is not known, or not kept.
    var jobs: [JobNumber]?
    var seen: String
    var isCut: Bool
  }

  private struct Contents {
    /// The name of the run that positions are of: a position of another one is not valid.
    var run = ChangeLog.newRun()
    var isOn = false
    /// True once the daemon stops, so that nobody waits.
    var isEnded = false
    var changes = ChangeList(limit: ChangeLog.limit)
    var lastEvent: Int64
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var tickets = 0

    /// Returns the place that a position is of; nil if it is of another run.
    func place(_ seen: String?) -> Int? {
      guard let words = seen?.split(separator: "-"), words.count == 2, words[0] == run else { return nil }
      return Int(words[1])
    }
  }

  private let state: Mutex<Contents>

  init(last: Int64) { state = Mutex(Contents(lastEvent: last)) }

  /// Adds the jobs that a commit changed, and resumes the readers that wait.
  func update(_ counts: LedgerCounts, changed: [JobNumber]) {
    let woken = state.withLock { state -> [Int: CheckedContinuation<Void, Never>] in
      if state.isOn { state.changes.append(changed) }
      // Some entries of the log come with no change of a job; without a list, only these count.
      guard state.isOn && !changed.isEmpty || counts.lastEvent > state.lastEvent else { return [:] }
      state.lastEvent = max(state.lastEvent, counts.lastEvent)
      return exchange(&state.waiting, with: [:])
    }
    for continuation in woken.values { continuation.resume() }
  }

  private static func newRun() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

  /// Makes every position unknown, so that all readers read all jobs: something changed about them that is not in the ledger.
  func forgetPositions() {
    resumeAll { $0.run = Self.newRun() }
  }

  func begin() { state.withLock { $0.isOn = true } }

  func page(since seen: String?, limit: Int) -> Page {
    state.withLock { state in
      guard let place = state.place(seen), let page = state.changes.page(from: place, limit: limit) else {
        return Page(jobs: nil, seen: "\(state.run)-\(state.changes.end)", isCut: false)
      }
      return Page(jobs: page.jobs, seen: "\(state.run)-\(page.end)", isCut: page.end < state.changes.end)
    }
  }

  /// Waits until there is an event after this one, or the task is cancelled.
  func wait(after sequence: Int64) async { await wait { $0.lastEvent > sequence } }

  /// Waits until there is a change or an event after these positions, or the task is cancelled.
  func wait(after sequence: Int64, since seen: String?) async {
    await wait { $0.isEnded || $0.lastEvent > sequence || $0.place(seen) != $0.changes.end }
  }

  private func wait(until isOver: @escaping @Sendable (Contents) -> Bool) async {
    let ticket = state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
    repeat {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isThere = state.withLock { state in
            guard !isOver(state), !Task.isCancelled else { return true }
            state.waiting[ticket] = continuation
            return false
          }
          if isThere { continuation.resume() }
        }
      } onCancel: {
        state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
      }
    } while !Task.isCancelled && !state.withLock({ isOver($0) })
  }

  /// Ends every wait for changes, present and future: the stop of the daemon must not last as long as a reader's wait.
  func end() {
    resumeAll { $0.isEnded = true }
  }

  private func resumeAll(after change: (inout Contents) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      return exchange(&state.waiting, with: [:])
    }
    for continuation in waiting.values { continuation.resume() }
  }
}
