import ControlAPI
import ControlServer
import Jobs
import Linux
import Messages
import PostgreSQL

/// Answers the calls of the control API over what the fleet stores. It keeps nothing between two calls.
final class FleetService: ControlOperations {
  /// The time for which an answer waits for the hosts that are asked.
  private static let patience = Duration.seconds(5)

  let database: FleetDatabase
  let report: @Sendable (String) -> Void

  init(database: FleetDatabase, report: @escaping @Sendable (String) -> Void) {
    (self.database, self.report) = (database, report)
  }

  func status(on hosts: Set<String>) async throws -> StatusMessage {
    try await database.answer { StatusMessage(of: try FleetHost.list($0, hosts)) }
  }

  func jobs(_ query: ListQuery) async throws -> JobPage {
    try await database.answer { try FleetJobs.page($0, query) }
  }

  func job(_ reference: JobReference) async throws -> JobDetailMessage? {
    try await database.answer { try FleetJobs.detail($0, try FleetJobs.find($0, reference)) }
  }

  func groups(_ filter: JobFilter) async throws -> ReasonGroups {
    try await database.answer { ReasonGroups(groups: try FleetGroups.list($0, filter)) }
  }

  func log(_ query: LogQuery) async throws -> LogPage { try await database.answer { try FleetEvents.page($0, query) } }

  func events(_ query: EventQuery) async throws -> EventSubscription {
    try await FleetEvents.subscribe(database, query)
  }

  private static let elsewhere = ProblemDocument(.unknownPath, saying: .fleetElsewhere)

  func explain(_ query: ExplainQuery) throws -> ExplainAnswer { throw Self.elsewhere }
  func changes(_ query: ChangesQuery) throws -> ChangesMessage { throw Self.elsewhere }
  func credentials() throws -> CredentialList { throw Self.elsewhere }
  func metrics() throws -> String { throw Self.elsewhere }
  func reload(by caller: Caller) throws -> ReloadAnswer { throw Self.elsewhere }
  func pause(_ target: Pause.Target, by caller: Caller) throws -> PauseAnswer { throw Self.elsewhere }
  func resume(_ target: Pause.Target, by caller: Caller) throws -> PauseAnswer { throw Self.elsewhere }

  func carryOut(
    _ command: JobCommand, on reference: JobReference, by caller: Caller, revision: Int64?
  ) async throws -> CommandAnswer {
    let job = try await database.answer { try FleetJobs.find($0, reference) }
    switch command {
    case .release, .confirm(link: .some):
      throw ProblemDocument(.unknownPath, saying: .fleetElsewhereHost(host: job.host))
    case .confirm, .cancel, .retry, .discard: break
    }
    // Before the host is asked: what cannot be told afterwards must not look as if it had not been done.
    var answer = CommandAnswer(job: try job.message(), message: .fleetAsked(host: job.host))
    let place = JobReference.onHost(job.ledger, JobNumber(rawValue: job.number))
    let seen = SeenJob(place, revision: revision ?? job.revision)
    let request = try await ask { try FleetRequest(command, on: .seen([seen]), by: caller, $0) }
    guard request.count > 0 else {
      guard let refusal = request.refusals.first else {
        throw ProblemDocument(.unknownJob, saying: .noSuchJob(job: "\(reference)"))
      }
      throw ProblemDocument(.onBehalfOf, saying: refusal.detail)
    }
    answer.asked = Int(request.open)
    if let (kind, told) = request.results.first {
      answer.message = told.detail
      switch kind {
      case .done: break
      case .changed: throw ProblemDocument(.wrongRevision, saying: answer.message)
      case .refused, nil: throw ProblemDocument(.wrongState, saying: answer.message)
      }
    }
    // Ignored: a job that has left the copy meanwhile is told as it was.
    if let now = try? await database.answer({ try FleetJobs.find($0, place).message() }) { answer.job = now }
    return answer
  }

  func carryOut(_ command: JobCommand, on selection: JobSelection, by caller: Caller) async throws -> BulkAnswer {
    let request = try await ask { try FleetRequest(command, on: selection, by: caller, $0) }
    var answer = BulkAnswer(
      done: Int(request.done), refused: Int(request.refused),
      refusals: request.refusals + request.results.filter { $0.kind != .done }.map(\.told))
    answer.asked = Int(request.open)
    return answer
  }

  /// Makes a request, reports it to the journal, and waits for the hosts, but not long.
  private func ask(
    _ wish: @escaping @Sendable (PostgreSQLSession) throws -> FleetRequest
  ) async throws -> FleetRequest {
    var request = try await database.answer { session in
      var request = try wish(session)
      try request.ask(session)
      return request
    }
    let isRemoval = request.needed.contains("remove")
    report(
      "\(DisplayText.escape(request.person)) asks for \(request.action)\(isRemoval ? " with removal" : ""): "
        + "\(request.count) commands, request \(request.batch)")
    let deadline = ContinuousClock.now + Self.patience
    while request.open > 0, ContinuousClock.now < deadline {
      // Ignored: a command stays asked for, also while its state cannot be read.
      let looked = try? await database.answer { [request] session in
        var now = request
        try now.refresh(session)
        return now
      }
      request = looked ?? request
      if request.open > 0 { try await Task.sleep(for: .milliseconds(200)) }
    }
    return request
  }
}
