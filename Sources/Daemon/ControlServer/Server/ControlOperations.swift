public import ControlAPI
public import Jobs

/// The calls of the control server. The server knows neither ledger nor pipeline: the daemon's `CommandService` implements the
/// calls, and for a fleet `FleetService`.
public protocol ControlOperations: Sendable {
  /// Returns the state of the daemon, or of some hosts of a fleet; of all if none is named.
  func status(on hosts: Set<String>) async throws -> StatusMessage
  /// Returns a page of the list of jobs.
  func jobs(_ query: ListQuery) async throws -> JobPage
  /// Returns the jobs that a filter finds, counted by state, step and reason.
  func groups(_ filter: JobFilter) async throws -> ReasonGroups
  /// Returns a job; nil if there is none.
  func job(_ reference: JobReference) async throws -> JobDetailMessage?
  /// Returns what is known about a file.
  func explain(_ query: ExplainQuery) async throws -> ExplainAnswer
  /// Returns the events after a sequence and the jobs that changed since an earlier answer; waits a while if there are none.
  func changes(_ query: ChangesQuery) async throws -> ChangesMessage
  /// Returns the events from a sequence on: those of the past first, then each one as it is committed.
  func events(_ query: EventQuery) async throws -> EventSubscription
  /// Returns a page of the log of events.
  func log(_ query: LogQuery) async throws -> LogPage
  /// Returns the sources of keys and tokens.
  func credentials() async throws -> CredentialList
  /// Returns the daemon's metrics in Prometheus' text format.
  func metrics() async throws -> String

  /// Carries out a command about one job and returns when the change is durable.
  /// - Throws: ``UnknownJob``, ``CommandRefused``, or a ``ProblemDocument``; each of them means that nothing was
  ///   changed, except for a ``ProblemDocument`` that says that the outcome is unknown.
  func carryOut(
    _ command: JobCommand, on reference: JobReference, by caller: Caller, revision: Int64?
  ) async throws -> CommandAnswer
  /// Carries out a command about many jobs and returns when that is durable.
  func carryOut(_ command: JobCommand, on selection: JobSelection, by caller: Caller) async throws -> BulkAnswer
  /// Pauses something and returns when that is durable. Throws a ``ProblemDocument`` for a name that is not in the configuration.
  func pause(_ target: Pause.Target, by caller: Caller) async throws -> PauseAnswer
  /// Ends a pause and returns when that is durable; the counterpart of ``pause(_:by:)``.
  func resume(_ target: Pause.Target, by caller: Caller) async throws -> PauseAnswer
  /// Reads the configuration again and puts it into effect. Throws a ``ProblemDocument`` for one that cannot be used.
  func reload(by caller: Caller) async throws -> ReloadAnswer
}

/// An error: a command does not fit the job's present state; with the person who changed the job last.
public struct CommandRefused: Error, Hashable, Sendable {
  /// The job as it is, and the reason why the command does not fit.
  public var refusal: Refusal
  /// The last change that a person made; nil if no person did.
  public var change: JobEvent.Kind?
  /// The person who changed the job last; nil if no person did.
  public var changedBy: Caller?
  /// The time of that person's change; nil to use that of the job's last change.
  public var changedAt: Timestamp?

  /// Creates a refusal with the last change.
  public init(_ refusal: Refusal, change: JobEvent.Kind?, changedBy: Caller?, changedAt: Timestamp?) {
    (self.refusal, self.change, self.changedBy, self.changedAt) = (refusal, change, changedBy, changedAt)
  }
}
