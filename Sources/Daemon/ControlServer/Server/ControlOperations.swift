public import ControlAPI
public import Jobs
public import Messages

/// The calls that the control server answers with. The server knows neither ledger nor pipeline: the daemon's `CommandService` has them.
public protocol ControlOperations: Sendable {
  /// Remembers requests that came with a key.
  var requests: any RequestMemory { get }

  /// Returns the daemon's state.
  func status() async throws -> StatusMessage
  /// Returns the jobs that a filter finds, in an order, from the one after `after` on, at most `limit`.
  func jobs(_ filter: JobFilter, after: JobNumber?, order: JobOrder, limit: Int) async throws -> [JobMessage]
  /// Returns the jobs that a filter finds, counted by state, step and reason.
  func groups(_ filter: JobFilter) async throws -> ReasonGroups
  /// Returns a job; nil if there is none.
  func job(_ reference: JobReference) async throws -> JobDetailMessage?
  /// Returns what is known about a file.
  func explain(_ query: ExplainQuery) async throws -> ExplainAnswer
  /// Returns the events after a place and the jobs that changed since an earlier answer; waits a while if there are none.
  func changes(_ query: ChangesQuery) async throws -> ChangesMessage
  /// Returns the events from a place on, those of the past first, then each as it is committed.
  func events(_ query: EventQuery) async throws -> EventSubscription
  /// Returns a page of the log of events.
  func log(_ query: LogQuery) async throws -> LogPage
  /// Returns the sources of keys and tokens.
  func credentials() async throws -> CredentialList
  /// Returns the last hour, minute by minute.
  func throughput() async throws -> ThroughputMessage
  /// Returns the daemon in numbers, as Prometheus' text.
  func metrics() async throws -> String

  /// Carries out a command about one job and returns when that is durable.
  ///
  /// - Returns: the job as it is now, and the step at which it was.
  /// - Throws: ``UnknownJob``, ``CommandRefused`` or `Refusal`, or a ``ProblemDocument``; each of them changes nothing.
  func carryOut(
    _ command: Command, on reference: JobReference, by caller: Caller, revision: Int64?
  ) async throws -> (job: JobMessage, step: Step)
  /// Carries out a command about many jobs and returns when that is durable.
  func carryOut(_ command: Command, on selection: JobSelection, by caller: Caller) async throws -> BulkAnswer
  /// Pauses something and returns when that is durable.
  ///
  /// - Throws: a ``ProblemDocument`` for a name that there is not.
  func pause(_ target: Pause.Target, by caller: Caller) async throws -> PauseAnswer
  /// Ends a pause, as ``pause(_:by:)`` begins it.
  func resume(_ target: Pause.Target, by caller: Caller) async throws -> PauseAnswer
  /// Reads the configuration again and puts it into effect.
  ///
  /// - Throws: a ``ProblemDocument`` for one that cannot be used.
  func reload(by caller: Caller) async throws -> ReloadAnswer
  /// Lists or aborts multipart uploads that belong to no job.
  ///
  /// - Throws: a ``ProblemDocument`` for what a storage refuses.
  func sweep(_ body: SweepBody, by caller: Caller) async throws -> SweepAnswer
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
  /// The file, the reason and its place.
  public var message: Message

  /// A release that failed.
  public init(_ message: Message) { self.message = message }
}
