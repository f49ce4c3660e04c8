import ControlAPI
import HTTPTypes
import HummingbirdCore
import Jobs
import Messages
import WebPages

/// The handlers of the control API: each decodes, validates, calls and encodes.
struct ControlHandlers: Sendable {
  /// The most bytes of a request's body.
  static let bodyLimit = 64 * 1024

  enum Reply {
    case answer(ControlAnswer)
    case events(EventSubscription, OpenStreams.Place, TextForm)
  }

  let operations: any ControlOperations
  let access: ControlAccess
  let streams: OpenStreams
  /// The number of callers that may wait for changes at once.
  let waits: ConnectionSlots
  let now: @Sendable () -> Timestamp
  let report: @Sendable (String) -> Void

  /// Answers a request. Every error becomes a problem document.
  func answer(_ request: Request, by caller: () async throws -> Caller) async throws -> Reply {
    var (head, form) = (request.head, AnswerForm("", acceptLanguage: request.headers[.acceptLanguage]))
    do {
      try access.checkHost(of: request)
      form = try AnswerForm(reading: head.path ?? "", acceptLanguage: request.headers[.acceptLanguage])
      head.path = form.target
      let route = try ControlRoute(head)
      try access.checkSender(of: request, at: route)
      // a caller who names a person without the right to do so is refused, whatever the request asks for
      if request.headers[.onBehalfOf] != nil { _ = try await caller() }
      let bytes = request.method == .post ? try await Self.body(of: request) : []
      return try await answer(route, request, bytes, form, by: caller)
    } catch {
      return .answer(answer(to: error, request, form.texts))
    }
  }

  private func answer(to error: any Error, _ request: Request, _ texts: TextForm) -> ControlAnswer {
    if let wrong = error as? ControlRoute.WrongMethod {
      let problem = ProblemDocument(.methodNotAllowed, saying: .methodNotHere(method: request.method.rawValue))
      return ControlAnswer(problem: problem, texts, allow: wrong.allowed)
    }
    if let problem = ProblemDocument(adapting: error) { return ControlAnswer(problem: problem, texts) }
    report("\(request.method.rawValue) \(DisplayText.escape(request.uri.path)) failed: \(error)")
    return ControlAnswer(problem: ProblemDocument(.internalError, saying: .journalSaysWhy), texts)
  }

  private func events(_ query: String, _ request: Request, _ texts: TextForm) async throws -> Reply {
    let lastEventID = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
    let start = try EventQuery(lastEventID: lastEventID, query: query, now: now())
    try access.checkHosts(start.filter.hosts)
    if request.method == .head { return .answer(ControlAnswer(headers: EventStream.headers)) }
    guard let place = streams.openPlace() else {
      throw streams.isStopping
        ? ProblemDocument(.stopping, saying: .stopping) : ProblemDocument(.overloaded, saying: .tooManyReaders)
    }
    return .events(try await operations.events(start), place, texts)
  }

  private func answer(
    _ route: ControlRoute, _ request: Request, _ bytes: [UInt8], _ form: AnswerForm,
    by caller: () async throws -> Caller
  ) async throws -> Reply {
    /// - Parameter asked: the number of those in a fleet who have not carried it out yet.
    func answer(_ message: some JSONMessage, asked: Int? = nil) -> Reply {
      var answer = ControlAnswer(message, form.texts)
      if let asked, asked > 0 { answer.status = .accepted }
      return .answer(answer)
    }
    switch route {
    case .description: return .answer(ControlAnswer(json: APIDescription.document))
    case .status(let query):
      let query = try StatusQuery(parsing: query, now: now())
      try access.checkHosts(query.hosts)
      let status = try await operations.status(on: query.hosts)
      return answer(query.names ? status : status.withoutNames)
    case .jobs(let query):
      let list = try ListQuery(parsing: query, now: now())
      try access.checkHosts(list.filter.hosts)
      var page = try await operations.jobs(list)
      if !list.names { page.jobs = page.jobs.map(\.withoutNames) }
      return answer(page)
    case .job(let reference):
      guard let job = try await operations.job(reference) else { throw UnknownJob(reference) }
      return answer(job)
    case .groups(let query):
      let filter = try JobFilter(parsing: query, now: now())
      try access.checkHosts(filter.hosts)
      return answer(try await operations.groups(filter))
    case .explain(let query):
      return answer(try await operations.explain(try ExplainQuery(parsing: query, now: now())))
    case .log(let query):
      let log = try LogQuery(parsing: query, now: now())
      try access.checkHosts(log.filter.hosts)
      return answer(try await operations.log(log))
    case .changes(let query):
      let query = try ChangesQuery(parsing: query, now: now())
      let changes = try await changes(query)
      return answer(query.names ? changes : changes.withoutNames)
    case .events(let query):
      return try await events(query, request, form.texts)
    case .credentials: return answer(try await operations.credentials())
    case .metrics:
      let metrics = try await operations.metrics()
      return .answer(ControlAnswer(headers: [.contentType: Exposition.mediaType], body: Array(metrics.utf8)))
    case .page(let file): return .answer(ControlAnswer(file))
    case .command(let name, let reference):
      let body = try CommandBody(parsing: bytes, for: name)
      let done = try await operations.carryOut(
        body.command, on: reference, by: try await caller(), revision: body.revision)
      return answer(done, asked: done.asked)
    case .commandMany(let name):
      let body = try BulkBody(parsing: bytes, for: name, now: now())
      switch body.selection {
      case .filter(let filter), .group(let filter, _): try access.checkHosts(filter.hosts)
      case .seen, .all: break
      }
      let done = try await operations.carryOut(body.command, on: body.selection, by: try await caller())
      return answer(done, asked: done.asked)
    case .pause, .resume:
      let body = try PauseBody(parsing: bytes)
      let set = route == .pause ? operations.pause : operations.resume
      return answer(try await set(body.target, try await caller()))
    case .reload:
      if !bytes.isEmpty { _ = try BodyMembers(bytes, known: []) }
      return answer(try await operations.reload(by: try await caller()))
    }
  }

  private func changes(_ query: ChangesQuery) async throws -> ChangesMessage {
    guard query.wait > 0 else { return try await operations.changes(query) }
    guard waits.acquire() else { throw ProblemDocument(.overloaded, saying: .tooManyWaiting) }
    defer { waits.giveBack() }
    return try await operations.changes(query)
  }

  private static func body(of request: Request) async throws(ProblemDocument) -> [UInt8] {
    let tooLarge = ProblemDocument(.bodyTooLarge, saying: .bodyTooLarge(limit: bodyLimit))
    if let length = request.headers[.contentLength].flatMap(Int.init), length > bodyLimit { throw tooLarge }
    do throws(BodyFault) {
      return try await request.bytes(atMost: bodyLimit)
    } catch {
      throw error == .tooLarge ? tooLarge : ProblemDocument(.invalidRequest, saying: .requestBodyUnreadable)
    }
  }
}

extension HTTPField.Name {
  /// The header by which the fleet's agent names the person who asked for a change.
  static let onBehalfOf = HTTPField.Name("Waybill-On-Behalf-Of") ?? .from
  static let onBehalfRole = HTTPField.Name("Waybill-On-Behalf-Role") ?? .from
}
