package import Jobs

/// The numbers of jobs and the holds on them, kept in memory and always those of the last commit.
package struct LedgerCounts: Sendable, Equatable {
  package internal(set) var jobs = JobTally()
  /// The numbers of queued jobs by the destination of their step; without those whose spool is paused, and
  /// those whose cleanup must be done first.
  package internal(set) var queued: [Destination: Int] = [:]
  /// The numbers of queued uploads of large files among them.
  var queuedLarge: [Destination: Int] = [:]
  /// The slots in use: attempts, and tries of cleanups.
  package internal(set) var inFlight = SlotUse()
  /// The tries of cleanups among them.
  var cleaning = SlotUse()
  package internal(set) var largeInFlight = SlotUse()
  /// The attempts in flight whose jobs were cancelled meanwhile.
  private var withdrawn: Set<[Int64]> = []
  /// The numbers of jobs that wait for a key or the network, by destination; without those whose spool is paused.
  package internal(set) var waiting: [Destination: Int] = [:]
  /// The numbers of jobs that are queued or active, by their route; without those that wait for their medium (`after = "keep"`).
  package internal(set) var ahead: [SpoolRoute: Int] = [:]
  package internal(set) var lastEvent: Int64 = 0
  /// The time at which the first deferred job is due, on the steady clock.
  package internal(set) var nextDue: Timestamp?
  /// The time of the next cleanup at each destination, on the steady clock. Cleanups in flight, and those of paused
  /// spools, do not count.
  package internal(set) var nextCleanups: [Destination: Timestamp] = [:]
  /// The time of the last admission from each spool that has a job in the ledger.
  package internal(set) var lastFiles: [String: Timestamp] = [:]
  /// The gates that are not pristine; all others are open.
  package internal(set) var gates: [Destination: Gate] = [:]
  /// The backend that grants the uploads to a storage: its gate and its pause hold them as well. As the configuration has it.
  package internal(set) var grantors: [Destination: Destination] = [:]
  package internal(set) var pauses: [Pause] = [] {
    didSet { pausedSpools = Set(pauses.compactMap(\.target.spool)) }
  }
  private(set) var pausedSpools: Set<String> = []

  /// Returns true if a job has continued without its attempt because it was cancelled, and the end of the attempt is not recorded yet.
  /// `job`: the job as it was begun.
  package func isWithdrawn(_ job: Job) -> Bool { !withdrawn.isEmpty && withdrawn.contains(job.attemptKey) }

  /// Returns true if the job's spool is not there yet: an attempt would only ask about its file.
  package func isLate(_ job: Job) -> Bool { !pauses.isEmpty && isPaused(.late(job.ticket.spool)) }

  /// Notes that a job continues without its attempt, whose end will be recorded later.
  mutating func withdraw(_ job: Job) { withdrawn.insert(job.attemptKey) }

  mutating func ended(_ job: Job) { withdrawn.remove(job.attemptKey) }

  /// Counts a job as it is now, instead of as it was before (nil for a new job).
  mutating func move(_ job: Job, from before: Job?) {
    assert(before == nil || before?.number == job.number, "two jobs are counted as one")
    count(job, 1)
    if let before { count(before, -1) }
    let (wasAhead, isAhead) = (before?.isAhead ?? false, job.isAhead)
    if wasAhead != isAhead { ahead.add(isAhead ? 1 : -1, at: SpoolRoute(of: job.ticket)) }
  }

  private mutating func count(_ job: Job, _ difference: Int) {
    jobs.add(job.step, job.state, jobs: difference, bytes: Int128(difference) * Int128(job.identity.size))
    if job.state == .active {
      inFlight.add(difference, at: job.destination)
      if job.isLargeUpload { largeInFlight.add(difference, at: job.destination) }
      return
    }
    count(
      job.state, job.destination, spool: job.ticket.spool, waitsForCleanup: job.waitsForCleanup,
      isLarge: job.isLargeUpload, difference)
  }

  /// Counts a job that can be begun, or waits to be.
  mutating func count(
    _ state: JobState, _ destination: Destination, spool: String, waitsForCleanup: Bool, isLarge: Bool,
    _ difference: Int
  ) {
    if waitsForCleanup { return }
    if !pausedSpools.isEmpty, pausedSpools.contains(spool) { return }
    switch state {
    case .queued:
      queued.add(difference, at: destination)
      if isLarge { queuedLarge.add(difference, at: destination) }
    case .awaitingCredentials, .awaitingNetwork: waiting.add(difference, at: destination)
    case .active, .deferred, .awaitingConfirmation, .registered, .skipped, .aborted, .cancelled, .discarded:
      break
    }
  }
}

extension Dictionary where Value == Int {
  /// Adds to the number of a key. A key with none has no entry, so that the table stays short.
  mutating func add(_ difference: Int, at key: Key) {
    let count = self[key, default: 0] + difference
    self[key] = count == 0 ? nil : count
  }
}

/// The storage and the backend of a spool's files. A reload may change them for the spool; earlier jobs keep theirs.
package struct SpoolRoute: Hashable, Sendable {
  let spool: String
  let storage: String
  let backend: String

  package init(spool: String, storage: String, backend: String) {
    (self.spool, self.storage, self.backend) = (spool, storage, backend)
  }

  init(of ticket: Ticket) { self.init(spool: ticket.spool, storage: ticket.storage, backend: ticket.backend) }
}

extension Job {
  /// True if the job goes before the spool's later files: it is under way or queued. A job that waits for a time, a person, a key, the
  /// network or its medium does not.
  fileprivate var isAhead: Bool { (state == .queued || state == .active) && !waitsForMedium }

  fileprivate var attemptKey: [Int64] { [number.rawValue, Int64(tries.upload), Int64(tries.register)] }
}

/// The result of a commit, for readers of events and for the pipeline.
package struct Commit: Sendable {
  package let events: [JobEvent]
  /// The events of gates and pauses that became durable, in their order.
  package let occurrences: [Occurrence]
  /// The tries that ended without an event: they were cut, or another job's question covers them.
  package let untold: [Attempt]
  /// The jobs that the commit changed or removed, in order, some more than once.
  package let changed: [JobNumber]
  package let counts: LedgerCounts
  package let took: Duration
}

/// Receives a ledger's commits and its write errors. Called on the ledger's own thread, in order, so it must not block.
package protocol LedgerObserver: Sendable {
  /// Called after each commit, before the callers of its changes get their answers.
  func committed(_ commit: Commit)
  /// Called when the ledger cannot be written, and with nil once it can again.
  func writingFailed(_ error: LedgerError?)
}

/// The numbers of jobs by step and state, and the bytes of their files.
/// Arrays, not dictionaries, because the numbers change with every step of every job.
package struct JobTally: Sendable, Equatable {
  private var jobs = [Int](repeating: 0, count: JobTally.states.count * 2)
  /// Wide, so that no number of files of any size is too much, and what was added can be subtracted.
  private var bytes = [Int128](repeating: 0, count: JobTally.states.count * 2)

  package init() {}

  package subscript(state: JobState) -> Int {
    Step.allCases.reduce(0) { $0 + self[$1, state] }
  }

  package subscript(step: Step, state: JobState) -> Int { jobs[Self.index(step, state)] }

  package func bytes(_ step: Step, _ state: JobState) -> Int64 { Int64(clamping: bytes[Self.index(step, state)]) }

  package var unfinished: Int { JobState.allCases.reduce(0) { $1.isTerminal ? $0 : $0 + self[$1] } }

  mutating func add(_ step: Step, _ state: JobState, jobs more: Int, bytes moreBytes: Int128) {
    let index = Self.index(step, state)
    jobs[index] += more
    bytes[index] += moreBytes
    assert(jobs[index] >= 0, "fewer than no jobs at \(step) are \(state)")
  }

  private static let states = JobState.allCases

  private static func index(_ step: Step, _ state: JobState) -> Int {
    (step == .upload ? 0 : states.count) + (states.firstIndex(of: state) ?? 0)
  }
}
