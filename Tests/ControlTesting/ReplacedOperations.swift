package import ControlAPI
package import ControlServer
package import Jobs

/// Other operations, of which a test replaces some.
package struct ReplacedOperations: ControlOperations {
  private let base: any ControlOperations
  package var statusAnswer: (@Sendable () async throws -> StatusMessage)?
  package var changesAnswer: (@Sendable (ChangesQuery) async throws -> ChangesMessage)?
  package var eventsAnswer: (@Sendable (EventQuery) async throws -> EventSubscription)?
  package var logAnswer: (@Sendable (LogQuery) async throws -> LogPage)?
  package var jobAnswer: (@Sendable (JobReference) async throws -> JobDetailMessage?)?
  package var explainAnswer: (@Sendable (ExplainQuery) async throws -> ExplainAnswer)?
  package var bulkAnswer: (@Sendable (JobCommand, JobSelection) async throws -> BulkAnswer)?

  package init(_ base: any ControlOperations) { self.base = base }

  package func status(on hosts: Set<String> = []) async throws -> StatusMessage {
    if let statusAnswer { return try await statusAnswer() }
    return try await base.status(on: hosts)
  }

  package func changes(_ query: ChangesQuery) async throws -> ChangesMessage {
    if let changesAnswer { return try await changesAnswer(query) }
    return try await base.changes(query)
  }

  package func events(_ query: EventQuery) async throws -> EventSubscription {
    if let eventsAnswer { return try await eventsAnswer(query) }
    return try await base.events(query)
  }

  package func log(_ query: LogQuery) async throws -> LogPage {
    if let logAnswer { return try await logAnswer(query) }
    return try await base.log(query)
  }

  package func carryOut(
    _ command: JobCommand, on reference: JobReference, by caller: Caller, revision: Int64?
  ) async throws -> CommandAnswer {
    try await base.carryOut(command, on: reference, by: caller, revision: revision)
  }

  package func carryOut(_ command: JobCommand, on selection: JobSelection, by caller: Caller) async throws -> BulkAnswer
  {
    if let bulkAnswer { return try await bulkAnswer(command, selection) }
    return try await base.carryOut(command, on: selection, by: caller)
  }

  package func jobs(_ query: ListQuery) async throws -> JobPage { try await base.jobs(query) }

  package func groups(_ filter: JobFilter) async throws -> ReasonGroups { try await base.groups(filter) }

  package func job(_ reference: JobReference) async throws -> JobDetailMessage? {
    if let jobAnswer { return try await jobAnswer(reference) }
    return try await base.job(reference)
  }

  package func explain(_ query: ExplainQuery) async throws -> ExplainAnswer {
    if let explainAnswer { return try await explainAnswer(query) }
    return try await base.explain(query)
  }

  package func credentials() async throws -> CredentialList { try await base.credentials() }

  package func metrics() async throws -> String { try await base.metrics() }

  package func pause(_ target: Pause.Target, by caller: Caller) async throws -> PauseAnswer {
    try await base.pause(target, by: caller)
  }

  package func resume(_ target: Pause.Target, by caller: Caller) async throws -> PauseAnswer {
    try await base.resume(target, by: caller)
  }

  package func reload(by caller: Caller) async throws -> ReloadAnswer { try await base.reload(by: caller) }
}
