public import Jobs

/// How many jobs stand where, and what holds them, kept in memory and always that of the last commit.
public struct LedgerCounts: Sendable, Equatable {
  /// Jobs by step and state, and the bytes of their files.
  public internal(set) var jobs = JobTally()
  /// Queued jobs by the destination of their step, e.g. `storage.main`; without those whose spool is paused, and those
  /// whose cleanup has to be done first.
  public internal(set) var queued: [String: Int] = [:]
  /// Those of them that are at the upload of a large file.
  var queuedLarge: [String: Int] = [:]
  /// What is in flight: attempts, and tries of what cancelled jobs owe.
  public internal(set) var inFlight = SlotUse()
  /// The uploads of large files that are in flight.
  public internal(set) var largeInFlight = SlotUse()
  /// Jobs that wait for a key or the network, by destination; without those whose spool is paused.
  public internal(set) var waiting: [String: Int] = [:]
  /// The sequence of the last event.
  public internal(set) var lastEvent: Int64 = 0
  /// When the first deferred job is due, on the steady clock.
  public internal(set) var nextDue: Timestamp?
  /// When the first cleanup is due at each destination where some are owed and not in flight, on the steady clock; without
  /// those whose spool is paused.
  public internal(set) var nextCleanups: [String: Timestamp] = [:]
  /// The gates at which something happened that counts; all others are open.
  public internal(set) var gates: [String: Gate] = [:]
  /// What people paused, the oldest first.
  public internal(set) var pauses: [Pause] = [] {
    didSet { pausedSpools = Set(pauses.compactMap { if case .spool(let name) = $0.target { name } else { nil } }) }
  }
  private(set) var pausedSpools: Set<String> = []

  mutating func enter(_ job: Job) { count(job, 1) }

  mutating func leave(_ job: Job) { count(job, -1) }

  private mutating func count(_ job: Job, _ difference: Int) {
    jobs.add(job.step, job.state, jobs: difference, bytes: Int64(difference) * job.identity.size)
    if job.state == .active {
      inFlight.add(difference, at: job.destination)
      if job.isLargeUpload { largeInFlight.add(difference, at: job.destination) }
      return
    }
    count(
      job.state, job.destination, spool: job.ticket.spool, waitsForCleanup: job.waitsForCleanup,
      isLarge: job.isLargeUpload, difference)
  }

  /// Counts what can be begun, or waits to be.
  mutating func count(
    _ state: State, _ destination: String, spool: String, waitsForCleanup: Bool, isLarge: Bool, _ difference: Int
  ) {
    if waitsForCleanup { return }
    if !pausedSpools.isEmpty, pausedSpools.contains(spool) { return }
    switch state {
    case .queued:
      queued[destination, default: 0] += difference
      if isLarge { queuedLarge[destination, default: 0] += difference }
    case .awaitingCredentials, .awaitingNetwork: waiting[destination, default: 0] += difference
    case .active, .deferred, .awaitingConfirmation, .registered, .aborted, .cancelled, .discarded: break
    }
  }
}

/// What a commit brought, for those who read events or hand out work.
public struct Commit: Sendable {
  /// The events that became durable, in their order.
  public let events: [JobEvent]
  /// What became durable of gates and pauses, in its order.
  public let occurrences: [Occurrence]
  /// The tries that ended with no event: they were cut, or another job's question stands for them.
  public let untold: [Attempt]
  /// Where the jobs stand now.
  public let counts: LedgerCounts
  /// How many changes shared it.
  public let changes: Int
  /// How long it took, until it was on disk.
  public let took: Duration
}
