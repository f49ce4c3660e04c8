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
  /// The progress of uploads of large files.
  package let largeUploads = LargeUploads()

  private let counts = Mutex(Counts())
  private let clock: Clock
  private let onChange: @Sendable (Change) -> Void
  private let line: WorkLine

  package init(clock: Clock, on machine: Machine, onChange: @escaping @Sendable (Change) -> Void) {
    self.clock = clock
    self.onChange = onChange
    line = WorkLine("waybill.activity", on: machine)
  }

  /// Steps in flight: uploads and registrations.
  package var current: (uploads: Int, registrations: Int) { counts.withLock { ($0.uploads, $0.registrations) } }

  /// Counts a job's step as active until ``end(_:)``; returns the progress to be kept of a large file's upload.
  func begin(_ job: Job) -> SentBytes? {
    let change = counts.withLock { counts -> Change? in
      counts.add(1, to: job.step)
      counts.steps += 1
      counts.restingSince = nil
      guard !counts.isBusy else { return nil }
      counts.isBusy = true
      return Change(isBusy: true, uploads: counts.uploads, registrations: counts.registrations, steps: 0)
    }
    if let change { onChange(change) }
    return largeUploads.begin(job)
  }

  /// Counts a job's step as ended.
  func end(_ job: Job) {
    largeUploads.end(job)
    let mustSetTimer = counts.withLock { counts -> Bool in
      counts.add(-1, to: job.step)
      assert(counts.uploads >= 0 && counts.registrations >= 0, "a step ended that had not begun")
      guard counts.total == 0 else { return false }
      counts.restingSince = clock.steady()
      defer { counts.isTimerSet = true }
      return !counts.isTimerSet
    }
    if mustSetTimer { look(after: rest) }
  }

  private func look(after pause: Duration) {
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
      if let left { look(after: left) }
      if let change { onChange(change) }
    }
  }
}

/// The uploads in flight of files that take a while, with the progress of each. Small ones end before anybody looks.
package final class LargeUploads: Sendable {
  private struct Upload: Sendable {
    let job: Job
    let sent: SentBytes
  }

  private let uploads = Mutex<[JobNumber: Upload]>([:])

  /// Keeps a large file's progress until ``end(_:)``; returns nil for other files.
  func begin(_ job: Job) -> SentBytes? {
    guard job.isLargeUpload else { return nil }
    let sent = SentBytes()
    uploads.withLock { $0[job.number] = Upload(job: job, sent: sent) }
    return sent
  }

  /// Forgets a large file's progress.
  func end(_ job: Job) { if job.isLargeUpload { uploads.withLock { $0[job.number] = nil } } }

  /// The uploads and their progress, the oldest job first.
  package var messages: [StatusMessage.Transfer] {
    uploads.withLock { Array($0.values) }.sorted { $0.job.number < $1.job.number }.map { upload in
      StatusMessage.Transfer(
        job: upload.job.number.rawValue, spool: upload.job.ticket.spool, name: upload.job.ticket.name.text,
        size: upload.job.identity.size, sent: min(max(0, upload.sent.value), upload.job.identity.size),
        since: upload.job.attemptStartedAt ?? upload.job.updatedAt)
    }
  }
}
