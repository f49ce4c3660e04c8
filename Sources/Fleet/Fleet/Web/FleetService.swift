import ControlAPI
import ControlServer
import Jobs
import Linux
import Messages
import PostgreSQL
import Synchronization

/// Answers the calls of the control API over what the fleet stores. It keeps nothing between two calls but which jobs could not be
/// shown.
final class FleetService: ControlOperations {
  /// The time for which an answer waits for the hosts that are asked.
  private static let patience = Duration.seconds(5)

  let database: FleetDatabase
  let report: @Sendable (String) -> Void
  /// By ledger, the jobs that could not be shown, as far as somebody has listed them.
  private let damaged = Mutex<[String: Set<Int64>]>([:])
  /// The most ledgers, and jobs of each, that are remembered there.
  private static let mostDamaged = 1000

  init(database: FleetDatabase, report: @escaping @Sendable (String) -> Void) {
    (self.database, self.report) = (database, report)
  }

  // MARK: looking

  func status(on hosts: Set<String>) async throws -> StatusMessage {
    let damaged = damaged.withLock { $0.mapValues(\.count) }
    return try await database.answer { StatusMessage(of: try FleetHost.list($0, hosts), damaged: damaged) }
  }

  func jobs(_ query: ListQuery) async throws -> JobPage {
    try await database.answer { try FleetJobs.page($0, query, damaged: self.noteDamaged) }
  }

  private func noteDamaged(_ ledger: String, _ job: Int64) {
    damaged.withLock { damaged in
      guard damaged.count < Self.mostDamaged || damaged[ledger] != nil else { return }
      guard damaged[ledger, default: []].count < Self.mostDamaged else { return }
      damaged[ledger, default: []].insert(job)
    }
  }

  func job(_ reference: JobReference) async throws -> JobDetailMessage? {
    try await database.answer { try FleetJobs.detail($0, try FleetJobs.find($0, reference)) }
  }

  func groups(_ filter: JobFilter) async throws -> ReasonGroups {
    try await database.answer { ReasonGroups(groups: try FleetGroups.list($0, filter)) }
  }

  func log(_ query: LogQuery) async throws -> LogPage { try await database.answer { try FleetEvents.page($0, query) } }

  func events(_ query: EventQuery) async throws -> EventSubscription { try await FleetEvents.subscribe(database, query) }

  // MARK: for the daemon of a host

  private static let elsewhere = ProblemDocument(.unknownPath, saying: .fleetElsewhere)

  func explain(_ query: ExplainQuery) throws -> ExplainAnswer { throw Self.elsewhere }
  func changes(_ query: ChangesQuery) throws -> ChangesMessage { throw Self.elsewhere }
  func credentials() throws -> CredentialList { throw Self.elsewhere }
  func metrics() throws -> String { throw Self.elsewhere }
  func reload(by caller: Caller) throws -> ReloadAnswer { throw Self.elsewhere }

  // MARK: commands

  func carryOut(
    _ command: JobCommand, on reference: JobReference, by caller: Caller, revision: Int64?
  ) async throws -> CommandAnswer {
    let job = try await database.answer { try FleetJobs.find($0, reference) }
    switch command {
    // only the host's own people may decide where a file goes, and which link is true
    case .release, .confirm(link: .some):
      throw ProblemDocument(.unknownPath, saying: .fleetElsewhereHost(host: job.host))
    case .confirm, .cancel, .retry, .discard: break
    }
    // Before the host is asked: what cannot be told afterwards must not look as if it had not been done.
    var answer = CommandAnswer(job: try job.message(), message: .fleetAsked(host: job.host))
    let request = try await ask(
      FleetRequest(command, of: "\(job.host):\(job.number)", by: caller), of: job.condition, revision: revision)
    try Self.require(request)
    answer.asked = Int(request.open)
    if let (kind, told) = request.results.first {
      answer.message = told.detail
      switch kind {
      case .done: break
      case .unknown: throw ProblemDocument(.unknownJob, saying: answer.message)
      case .changed: throw ProblemDocument(.wrongRevision, saying: answer.message)
      case .refused, .expired, nil: throw ProblemDocument(.wrongState, saying: answer.message)
      }
    }
    let place = JobReference.onHost(job.ledger, JobNumber(rawValue: job.number))
    // Ignored: a job that has left the copy meanwhile is told as it was.
    if let now = try? await database.answer({ try FleetJobs.find($0, place).message() }) { answer.job = now }
    return answer
  }

  func carryOut(_ command: JobCommand, on selection: JobSelection, by caller: Caller) async throws -> BulkAnswer {
    let chosen = try await database.answer { try FleetSelection($0, selection, for: command.name) }
    var answer = BulkAnswer(done: 0, refused: chosen.refusals.count, refusals: chosen.refusals)
    guard let condition = chosen.condition else { return answer }
    let request = try await ask(
      FleetRequest(command, of: Self.words(selection), by: caller), of: condition, most: chosen.most)
    // a host that allows more than before, or takes another's name, may add jobs that were not shown
    guard request.count <= chosen.most else { throw ProblemDocument.changed(chosen.group, to: nil) }
    (answer.done, answer.asked) = (Int(request.done), Int(request.open))
    answer.refused += Int(request.refused)
    answer.refusals += request.refusals + request.results.filter { $0.kind != .done }.map(\.told)
    return answer
  }

  func pause(_ target: Pause.Target, on hosts: Set<String>, by caller: Caller) async throws -> PauseAnswer {
    try await set("pause", target, on: hosts, by: caller)
  }

  func resume(_ target: Pause.Target, on hosts: Set<String>, by caller: Caller) async throws -> PauseAnswer {
    try await set("resume", target, on: hosts, by: caller)
  }

  private func set(
    _ action: String, _ target: Pause.Target, on hosts: Set<String>, by caller: Caller
  ) async throws -> PauseAnswer {
    guard target.isOfElsewhere else { throw Self.elsewhere }
    let request = try await ask(
      FleetRequest(action, target, on: hosts, by: caller), of: FleetCondition(hosts: hosts))
    try Self.require(request)
    var message = Message.fleetHosts(done: request.done, refused: request.refused, open: request.open)
    if request.results.count == 1, request.notAllowed == 0, let told = request.results.first?.told {
      message = .fleetHostSaid(host: told.host ?? "", said: told.detail)
    }
    let present = try await status(on: hosts)
    return PauseAnswer(pauses: present.pauses, message: message, asked: Int(request.open))
  }

  /// Makes a request, reports it to the journal, and waits for the hosts, but not long.
  ///
  /// - Parameter most: the most commands: nothing is asked for if there would be more.
  private func ask(
    _ wish: FleetRequest, of condition: FleetCondition, revision: Int64? = nil, most: Int64 = .max
  ) async throws -> FleetRequest {
    var request = try await database.answer { session in
      try wish.asked(session, of: condition, revision: revision, most: most)
    }
    guard request.count <= most else { return request }
    let isRemoval = wish.needed.contains("remove")
    report(
      "\(DisplayText.escape(wish.person)) asks for \(wish.action)\(isRemoval ? " with removal" : ""): "
        + "\(request.count) commands, request \(request.batch)")
    let deadline = ContinuousClock.now + Self.patience
    while request.open > 0, ContinuousClock.now < deadline {
      // Ignored: what was asked for stays asked for, also while its state cannot be read.
      if let now = try? await database.answer(request.answered) { request = now }
      if request.open > 0 { try await Task.sleep(for: .milliseconds(200)) }
    }
    return request
  }

  /// Refuses a request for which no host was asked, because none allows it or none is there.
  private static func require(_ request: FleetRequest) throws(ProblemDocument) {
    guard request.count == 0 else { return }
    guard let refusal = request.refusals.first else {
      throw ProblemDocument(.unknownDestination, saying: .fleetNoHost)
    }
    throw ProblemDocument(.onBehalfOf, saying: refusal.detail)
  }

  private static func words(_ selection: JobSelection) -> String {
    switch selection {
    case .all: "all"
    case .filter(let filter), .group(let filter, _): ListQuery(filter: filter).text
    case .seen(let jobs): jobs.prefix(20).map(\.job.description).joined(separator: " ")
    }
  }
}
