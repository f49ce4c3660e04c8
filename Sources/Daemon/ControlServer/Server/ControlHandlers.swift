import ControlAPI
import HTTPTypes
import HummingbirdCore
import Jobs
import Messages
import WebPages

/// The handlers of the control socket: each decodes, validates, calls and encodes.
struct ControlHandlers: Sendable {
  /// The maximum size of a request's body, in bytes.
  static let bodyLimit = 64 * 1024

  /// The answer to a request.
  enum Reply {
    case answer(ControlAnswer)
    case events(EventSubscription, OpenStreams.Place, TextForm)
  }

  let operations: any ControlOperations
  let streams: OpenStreams
  /// The number of callers that may wait for changes at once.
  let waits: ConnectionSlots
  let now: @Sendable () -> Timestamp
  let report: @Sendable (String) -> Void

  /// Answers a request. Every error becomes a problem document.
  func answer(_ request: Request, by caller: () async throws -> Caller) async throws -> Reply {
    var (head, form) = (request.head, AnswerForm("", acceptLanguage: request.headers[.acceptLanguage]))
    do {
      try Self.refuseOtherHosts(request)
      form = try AnswerForm(reading: head.path ?? "", acceptLanguage: request.headers[.acceptLanguage])
      head.path = form.target
      let route = try ControlRoute(head)
      try Self.refuseBrowser(request, at: route)
      // a caller who names a person without the right to do so is refused, whatever the request asks for
      if request.headers[.onBehalfOf] != nil { _ = try await caller() }
      let bytes = request.method == .post ? try await Self.body(of: request) : []
      return try await answer(route, request, bytes, form, by: caller)
    } catch {
      return .answer(answer(to: error, request, form.texts))
    }
  }

  /// Returns the answer to a request that failed.
  private func answer(to error: any Error, _ request: Request, _ texts: TextForm) -> ControlAnswer {
    if let wrong = error as? ControlRoute.WrongMethod {
      let problem = ProblemDocument(.method, saying: .methodNotHere(method: request.method.rawValue))
      return ControlAnswer(problem: problem, texts, allow: wrong.allowed)
    }
    if let problem = ProblemDocument(adapting: error) { return ControlAnswer(problem: problem, texts) }
    report("\(request.method.rawValue) \(DisplayText.escape(request.uri.path)) failed: \(error)")
    return ControlAnswer(problem: ProblemDocument(.internal, saying: .journalSaysWhy), texts)
  }

  private func events(_ query: String, _ request: Request, _ texts: TextForm) async throws -> Reply {
    let lastEventID = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
    let start = try EventQuery(lastEventID: lastEventID, query: query, now: now())
    try Self.refuseHosts(start.filter.hosts)
    if request.method == .head { return .answer(ControlAnswer(headers: EventStream.headers)) }
    guard let place = streams.openPlace() else {
      if streams.isStopping { throw ProblemDocument(.stopping, saying: .stopping) }
      throw ProblemDocument(.overloaded, saying: .tooManyReaders)
    }
    return .events(try await operations.events(start), place, texts)
  }

  /// Answers a request whose body is read.
  private func answer(
    _ route: ControlRoute, _ request: Request, _ bytes: [UInt8], _ form: AnswerForm,
    by caller: () async throws -> Caller
  ) async throws -> Reply {
    func answer(_ message: some JSONMessage) -> Reply { .answer(ControlAnswer(message, form.texts)) }
    switch route {
    case .description:
      return .answer(ControlAnswer(json: APIDescription.document))
    case .status:
      let status = try await operations.status()
      return answer(form.hasNames ? status : status.withoutNames)
    case .jobs(let query):
      let list = try ListQuery(parsing: query, now: now())
      try Self.refuseHosts(list.filter.hosts)
      var page = try await page(list)
      if !form.hasNames { page.jobs = page.jobs.map(\.withoutNames) }
      return answer(page)
    case .job(let reference):
      guard let job = try await operations.job(reference) else { throw UnknownJob(reference) }
      return answer(job)
    case .groups(let query):
      let filter = try JobFilter(parsing: query, now: now())
      try Self.refuseHosts(filter.hosts)
      return answer(try await operations.groups(filter))
    case .explain(let query):
      return answer(try await operations.explain(try ExplainQuery(parsing: query, now: now())))
    case .log(let query):
      let log = try LogQuery(parsing: query, now: now())
      try Self.refuseHosts(log.filter.hosts)
      return answer(try await operations.log(log))
    case .changes(let query):
      let changes = try await changes(try ChangesQuery(parsing: query, now: now()))
      return answer(form.hasNames ? changes : changes.withoutNames)
    case .events(let query):
      return try await events(query, request, form.texts)
    case .credentials:
      return answer(try await operations.credentials())
    case .throughput:
      return answer(try await operations.throughput())
    case .metrics:
      let metrics = try await operations.metrics()
      return .answer(ControlAnswer(headers: [.contentType: Exposition.mediaType], body: Array(metrics.utf8)))
    case .page(let file):
      return .answer(ControlAnswer(file))
    case .command(let name, let reference):
      let body = try CommandBody(parsing: bytes, for: name)
      let command = body.command
      let caller = try await caller()
      let (job, step) = try await operations.carryOut(
        command, on: reference, by: caller, revision: body.revision)
      return answer(CommandAnswer(job: job, message: Self.sentence(command, job, at: step, caller)))
    case .commandMany(let name):
      let body = try BulkBody(parsing: bytes, for: name, now: now())
      let command = body.command
      switch body.selection {
      case .filter(let filter), .group(let filter, _): try Self.refuseHosts(filter.hosts)
      case .seen, .all: break
      }
      return answer(try await operations.carryOut(command, on: body.selection, by: try await caller()))
    case .pause:
      let body = try PauseBody(parsing: bytes)
      try Self.refuseHosts(body.hosts)
      return answer(try await operations.pause(body.target, by: try await caller()))
    case .resume:
      let body = try PauseBody(parsing: bytes)
      try Self.refuseHosts(body.hosts)
      return answer(try await operations.resume(body.target, by: try await caller()))
    case .reload:
      try EmptyBody.check(bytes)
      return answer(try await operations.reload(by: try await caller()))
    }
  }

  private func changes(_ query: ChangesQuery) async throws -> ChangesMessage {
    guard query.wait > 0 else { return try await operations.changes(query) }
    guard waits.acquire() else {
      throw ProblemDocument(.overloaded, saying: .tooManyWaiting)
    }
    defer { waits.giveBack() }
    return try await operations.changes(query)
  }

  /// Refuses a host: a daemon that ignored it would do what is meant for another one.
  private static func refuseHosts(_ hosts: Set<String>) throws(ProblemDocument) {
    guard hosts.isEmpty else { throw ProblemDocument(.unknownDestination, saying: .hostIsOfFleet) }
  }

  /// Anyone who may use the socket may do everything. If a person forwards the socket to a browser (`ssh -L`, a proxy), any page
  /// could send requests through it. So requests from a browser are refused: `waybill web` passes on what the operator's own page
  /// asks for.
  private static func refuseBrowser(_ request: Request, at route: ControlRoute) throws(ProblemDocument) {
    if case .page = route { return }
    guard request.headers[.origin] != nil || request.headers[.secFetchSite] != nil else { return }
    throw ProblemDocument(.browser, saying: .noBrowsers)
  }

  /// A call through `ssh -L` names `localhost`. Another name may belong to an attacker who lets it resolve to this machine.
  private static func refuseOtherHosts(_ request: Request) throws(ProblemDocument) {
    guard !HostNames(.loopback).allow(request.head.authority) else { return }
    let host = DisplayText.escape(String((request.head.authority ?? "").prefix(100)))
    throw ProblemDocument(.host, saying: .wrongHost(host: host))
  }

  private func page(_ query: ListQuery) async throws -> JobPage {
    // One job more than asked for shows if there is a next page.
    var (jobs, next) = try await operations.jobs(
      query.filter, after: query.after?.after, order: query.order, limit: query.limit + 1)
    if jobs.count > query.limit {
      jobs.removeSubrange(query.limit...)
      next = jobs.last.map { JobNumber(rawValue: $0.job) }
    }
    return JobPage(jobs: jobs, next: next.map { PageCursor(after: $0).description })
  }

  private static func sentence(_ command: JobCommand, _ job: JobMessage, at step: Step, _ caller: Caller) -> Message {
    let name = FileName(job.name)
    return switch command {
    case .release: .released(name: name.shown, user: DisplayText.escape(caller.user))
    case .discard: .discarded(name: name.shown, user: DisplayText.escape(caller.user))
    case .confirm, .retry: .queuedFor(name: name.shown, step: job.step.rawValue)
    case .cancel: Sentences.cancelled(step, name, by: caller.user)
    }
  }

  private static func body(of request: Request) async throws(ProblemDocument) -> [UInt8] {
    let tooLarge = ProblemDocument(.tooLarge, saying: .bodyTooLarge(limit: bodyLimit))
    if let length = request.headers[.contentLength].flatMap(Int.init), length > bodyLimit { throw tooLarge }
    do throws(BodyFault) {
      return try await request.bytes(atMost: bodyLimit)
    } catch {
      switch error {
      case .tooLarge: throw tooLarge
      case .unreadable:
        throw ProblemDocument(.invalidRequest, saying: .requestBodyUnreadable)
      }
    }
  }
}

extension HTTPField.Name {
  /// The header by which the fleet's agent names the person who asked for a change.
  static let onBehalfOf = HTTPField.Name("Waybill-On-Behalf-Of") ?? .from
  /// The header by which the agent names the database role of that person.
  static let onBehalfRole = HTTPField.Name("Waybill-On-Behalf-Role") ?? .from
  /// The header by which a browser says where a request comes from (Fetch Metadata Request Headers). The name is well formed, so
  /// the initializer succeeds.
  fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}
