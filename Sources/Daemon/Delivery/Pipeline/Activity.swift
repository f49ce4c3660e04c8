package import ControlAPI
import HTTPTransfer
package import Jobs
package import Linux
import Synchronization

/// Counts the jobs that a stage works on. A job that waits for a person or a time is not active.
package final class Activity: Sendable {
  /// The report that work began after a rest, or that a rest has lasted for a while.
  package struct Change: Sendable, Equatable {
    package let isBusy: Bool
    package let uploads: Int
    package let registrations: Int
    /// The steps that were worked on since the last rest.
    package let steps: Int
  }

  private struct Counts {
    var uploads = 0
    var registrations = 0
    var steps = 0
    var isBusy = false
    var restingSince: Timestamp?
    var isTimerSet = false
    /// The uploads in flight of files that take a while, with their progress. Small ones end before anybody looks.
    var large: [JobNumber: (job: Job, sent: SentBytes)] = [:]
    var total: Int { uploads + registrations }

    mutating func add(_ difference: Int, to step: Step) {
      switch step {
      case .upload: uploads += difference
      case .register: registrations += difference
      }
    }
  }

  /// A rest is reported only once it has lasted this long, so that a stream of small jobs is one busy time.
  private let rest: Duration = .seconds(1)

  private let counts = Mutex(Counts())
  private let clock: Clock
  private let onChange: @Sendable (Change) -> Void
  private let line: WorkLine

  package init(clock: Clock, on machine: Machine, onChange: @escaping @Sendable (Change) -> Void) {
    self.clock = clock
    self.onChange = onChange
    line = WorkLine("waybill.activity", on: machine)
  }

  package var current: (uploads: Int, registrations: Int) { counts.withLock { ($0.uploads, $0.registrations) } }

  /// The uploads in flight of large files with their progress, the oldest job first.
  package var largeUploads: [StatusMessage.Transfer] {
    counts.withLock { Array($0.large.values) }.sorted { $0.job.number < $1.job.number }.map { job, sent in
      StatusMessage.Transfer(
        job: job.number.rawValue, spool: job.ticket.spool, name: job.ticket.name.text, size: job.identity.size,
        sent: min(max(0, sent.value), job.identity.size), since: job.attemptStartedAt ?? job.updatedAt)
    }
  }

  /// Counts a job's step as active until ``end(_:)``; returns the counter of sent bytes for a large file's upload.
  func begin(_ job: Job) -> SentBytes? {
    let sent = job.isLargeUpload ? SentBytes() : nil
    let change = counts.withLock { counts -> Change? in
      counts.add(1, to: job.step)
      if let sent { counts.large[job.number] = (job, sent) }
      counts.steps += 1
      counts.restingSince = nil
      guard !counts.isBusy else { return nil }
      counts.isBusy = true
      return Change(isBusy: true, uploads: counts.uploads, registrations: counts.registrations, steps: 0)
    }
    if let change { onChange(change) }
    return sent
  }

  func end(_ job: Job) {
    let mustSetTimer = counts.withLock { counts -> Bool in
      counts.add(-1, to: job.step)
      if job.isLargeUpload { counts.large[job.number] = nil }
      assert(counts.uploads >= 0 && counts.registrations >= 0, "a step ended that had not begun")
      guard counts.total == 0 else { return false }
      counts.restingSince = clock.steady()
      defer { counts.isTimerSet = true }
      return !counts.isTimerSet
    }
    if mustSetTimer { endRest(after: rest) }
  }

  private func endRest(after pause: Duration) {
    line.add(after: pause) { [self] in
      let (left, change) = counts.withLock { counts -> (Duration?, Change?) in
        guard let since = counts.restingSince else {
          counts.isTimerSet = false
          return (nil, nil)
        }
        let left = rest - (clock.steady() - since)
        if left > .zero { return (left, nil) }
        counts.isTimerSet = false
        counts.isBusy = false
        counts.restingSince = nil
        return (nil, Change(isBusy: false, uploads: 0, registrations: 0, steps: exchange(&counts.steps, with: 0)))
      }
      if let left { endRest(after: left) }
      if let change { onChange(change) }
    }
  }
}
