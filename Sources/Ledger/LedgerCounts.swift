public import Jobs

/// How many jobs stand where, kept in memory and always that of the last commit.
public struct LedgerCounts: Sendable, Equatable {
  /// Jobs by state.
  public internal(set) var states: [State: Int] = [:]
  /// Queued jobs by the destination of their step, e.g. `storage.main`.
  public internal(set) var queued: [String: Int] = [:]
  /// Jobs that wait for a key or the network, by destination.
  public internal(set) var waiting: [String: Int] = [:]
  /// The sequence of the last event.
  public internal(set) var lastEvent: Int64 = 0
  /// When the first deferred job is due, on the steady clock.
  public internal(set) var nextDue: Timestamp?

  mutating func enter(_ job: Job) { count(job, 1) }

  mutating func leave(_ job: Job) { count(job, -1) }

  private mutating func count(_ job: Job, _ difference: Int) {
    states[job.state, default: 0] += difference
    switch job.state {
    case .queued: queued[job.destination, default: 0] += difference
    case .awaitingCredentials, .awaitingNetwork: waiting[job.destination, default: 0] += difference
    case .active, .deferred, .awaitingConfirmation, .registered, .aborted, .cancelled, .discarded: break
    }
  }
}

/// What a commit brought, for those who read events or hand out work.
public struct Commit: Sendable {
  /// The events that became durable, in their order.
  public let events: [JobEvent]
  /// Where the jobs stand now.
  public let counts: LedgerCounts
}
