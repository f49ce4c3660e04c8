public import ControlAPI
public import Jobs

/// The functions that the control server calls. The server knows neither ledger nor pipeline: the composition fills
/// these in.
public struct ControlOperations: Sendable {
  /// Returns the daemon's state.
  public var status: @Sendable () async throws -> StatusMessage
  /// The jobs that a filter finds, in an order, from the one after `after` on, at most `limit`.
  public var jobs:
    @Sendable (_ filter: JobFilter, _ after: JobNumber?, _ order: JobOrder, _ limit: Int) async throws -> [JobMessage]
  /// The jobs that a filter finds, counted by state, step and reason.
  public var groups: @Sendable (JobFilter) async throws -> ReasonGroups
  /// One job; nil where there is none.
  public var job: @Sendable (JobReference) async throws -> JobDetailMessage?
  /// Returns what is known about a file.
  public var explain: @Sendable (ExplainQuery) async throws -> ExplainAnswer
  /// Carries out a command about one job and returns when that is durable: the job as it is now, and the step at which it
  /// was.
  ///
  /// Throws ``UnknownJob``, ``CommandRefused`` or `Refusal`, or a ``ProblemDocument``; each of them changes nothing.
  public var carryOut:
    @Sendable (JobReference, Command, _ by: Caller, _ revision: Int64?) async throws -> (job: JobMessage, step: Step)
  /// Carries out a command about many jobs and returns when that is durable.
  public var carryOutMany: @Sendable (JobSelection, Command, _ by: Caller) async throws -> BulkAnswer
  /// Returns the events after a place and the jobs that changed since an earlier answer; waits a while if there are none.
  public var changes: @Sendable (ChangesQuery) async throws -> ChangesMessage
  /// The events from a place on, those of the past first, then each as it is committed.
  public var events: @Sendable (EventQuery) async throws -> EventSubscription
  /// Returns a page of the log of events.
  public var log: @Sendable (LogQuery) async throws -> LogPage
  /// Pauses something and returns when that is durable. Throws a ``ProblemDocument`` for a name that there is not.
  public var pause: @Sendable (Pause.Target, _ by: Caller) async throws -> PauseAnswer
  /// Lets something go on that was paused, as `pause` does.
  public var resume: @Sendable (Pause.Target, _ by: Caller) async throws -> PauseAnswer

  /// Reads the configuration again and goes on by it. Throws a ``ProblemDocument`` for one that cannot be used.
  public var reload: @Sendable (_ by: Caller) async throws -> ReloadAnswer
  /// Returns the sources of keys and tokens.
  public var credentials: @Sendable () async throws -> CredentialList
  /// Returns the last hour, minute by minute.
  public var throughput: @Sendable () async throws -> ThroughputMessage
  /// The daemon in numbers, as Prometheus' text.
  public var metrics: @Sendable () async throws -> String
  /// Lists or aborts multipart uploads that belong to no job. Throws a ``ProblemDocument`` for what a storage refuses.
  public var sweep: @Sendable (SweepBody, _ by: Caller) async throws -> SweepAnswer

  /// Remembers requests that came with a key.
  public var requests: any RequestMemory

  /// The operations.
  public init(
    status: @escaping @Sendable () async throws -> StatusMessage,
    jobs: @escaping @Sendable (JobFilter, JobNumber?, JobOrder, Int) async throws -> [JobMessage],
    groups: @escaping @Sendable (JobFilter) async throws -> ReasonGroups,
    job: @escaping @Sendable (JobReference) async throws -> JobDetailMessage?,
    explain: @escaping @Sendable (ExplainQuery) async throws -> ExplainAnswer,
    carryOut: @escaping @Sendable (JobReference, Command, Caller, Int64?) async throws -> (job: JobMessage, step: Step),
    carryOutMany: @escaping @Sendable (JobSelection, Command, Caller) async throws -> BulkAnswer,
    changes: @escaping @Sendable (ChangesQuery) async throws -> ChangesMessage,
    events: @escaping @Sendable (EventQuery) async throws -> EventSubscription,
    log: @escaping @Sendable (LogQuery) async throws -> LogPage,
    pause: @escaping @Sendable (Pause.Target, Caller) async throws -> PauseAnswer,
    resume: @escaping @Sendable (Pause.Target, Caller) async throws -> PauseAnswer,
    reload: @escaping @Sendable (Caller) async throws -> ReloadAnswer,
    credentials: @escaping @Sendable () async throws -> CredentialList,
    throughput: @escaping @Sendable () async throws -> ThroughputMessage,
    metrics: @escaping @Sendable () async throws -> String,
    sweep: @escaping @Sendable (SweepBody, Caller) async throws -> SweepAnswer,
    requests: any RequestMemory
  ) {
    self.status = status
    self.jobs = jobs
    self.groups = groups
    self.job = job
    self.explain = explain
    self.carryOut = carryOut
    self.carryOutMany = carryOutMany
    self.changes = changes
    self.events = events
    self.log = log
    self.pause = pause
    self.resume = resume
    self.reload = reload
    self.credentials = credentials
    self.throughput = throughput
    self.metrics = metrics
    self.sweep = sweep
    self.requests = requests
  }
}

/// A command that does not fit the job as it is, with who changed the job last.
public struct CommandRefused: Error, Hashable, Sendable {
  /// The job as it is, and why the command does not fit.
  public var refusal: Refusal
  /// The person who changed the job last; nil if it was no person.
  public var changedBy: Caller?
  /// When that was; nil for the job's last change.
  public var changedAt: Timestamp?

  /// A refusal with the last change.
  public init(_ refusal: Refusal, changedBy: Caller?, changedAt: Timestamp?) {
    self.refusal = refusal
    self.changedBy = changedBy
    self.changedAt = changedAt
  }
}

/// A file that could not be given back; the job is what it was before.
public struct ReleaseFailed: Error, Hashable, Sendable {
  /// The file, the reason and its place, in words.
  public var words: String

  /// A release that failed.
  public init(words: String) { self.words = words }
}
