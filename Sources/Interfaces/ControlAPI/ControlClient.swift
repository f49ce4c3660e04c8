import Glibc
public import HTTPTransfer
public import Jobs
import Messages

/// Calls the daemon over its control socket.
///
/// Every call throws ``ControlError``.
public struct ControlClient: Sendable {
  /// The largest answer in bytes: a full page of jobs with long questions fits well.
  static let answerLimit = 64 << 20

  let socket: String
  let transport: Transport
  let patience: Duration
  private let bulkPatience: Duration

  /// Creates a client of the daemon that listens at a path. `patience` is the time that an answer may take before the daemon counts as
  /// absent, `bulkPatience` that for a command about many jobs, whose answer waits for all of them to be durable.
  public init(
    socket: String, transport: Transport, patience: Duration = .seconds(10), bulkPatience: Duration = .seconds(120)
  ) {
    self.socket = socket
    self.transport = transport
    self.patience = patience
    self.bulkPatience = bulkPatience
  }

  /// Returns the state of the daemon, or of these hosts of a fleet. Only the agent of the fleet may ask for a person.
  public func status(
    on hosts: Set<String> = [], for person: FleetPerson? = nil
  ) async throws(ControlError) -> StatusMessage {
    try await call("/v1/status", StatusQuery(hosts: hosts).text, for: person)
  }

  /// Returns a page of the list of jobs, with fewer than its limit only at the end.
  public func jobs(_ query: ListQuery) async throws(ControlError) -> JobPage {
    var query = query
    var page = JobPage(jobs: [], next: nil)
    repeat {
      let next: JobPage = try await call("/v1/jobs", query.text)
      page = JobPage(jobs: page.jobs + next.jobs, next: next.next)
      query.limit -= next.jobs.count
      query.after = next.next.flatMap { PageCursor($0) }
    } while query.limit > 0 && query.after != nil
    return page
  }

  /// Returns the jobs that a filter finds, counted by state, step and reason.
  public func groups(_ filter: JobFilter) async throws(ControlError) -> ReasonGroups {
    try await call("/v1/groups", filter.text, within: bulkPatience)
  }

  /// Returns one job with all that is known about it.
  public func job(_ reference: JobReference) async throws(ControlError) -> JobDetailMessage {
    try await call("/v1/jobs/\(Self.segment(reference))")
  }

  /// The job as a segment of a path: the name of its host may have any characters.
  private static func segment(_ reference: JobReference) -> String { PercentEncoding.component("\(reference)") }

  /// Returns what is known about a file: why it is a job, is none, or is not yet one.
  public func explain(_ query: ExplainQuery) async throws(ControlError) -> ExplainAnswer {
    try await call("/v1/explain", query.text)
  }

  /// Carries out a command about one job; returns when the result is durable.
  public func carryOut(
    _ command: JobCommand, on reference: JobReference, revision: Int64? = nil
  ) async throws(ControlError) -> CommandAnswer {
    let path = "/v1/jobs/\(Self.segment(reference))/\(command.name.rawValue)"
    return try await call(path, body: CommandBody(command, revision: revision).json)
  }

  /// Carries out a command about many jobs; returns when the result is durable. The link of a confirm is not sent.
  public func carryOut(_ command: JobCommand, on selection: JobSelection) async throws(ControlError) -> BulkAnswer {
    try await call("/v1/jobs/\(command.name.rawValue)", body: BulkBody(command, selection).json, within: bulkPatience)
  }

  /// Pauses a target, or resumes it; returns when that is durable.
  public func set(paused: Bool, _ body: PauseBody) async throws(ControlError) -> PauseAnswer {
    try await call(paused ? "/v1/pause" : "/v1/resume", body: body.json)
  }

  /// Makes the daemon read its configuration again.
  public func reload() async throws(ControlError) -> ReloadAnswer {
    try await call("/v1/reload", body: Array("{}".utf8))
  }

  /// Returns the sources of the daemon's keys and tokens.
  public func credentials() async throws(ControlError) -> CredentialList {
    try await call("/v1/credentials")
  }

  /// Returns the bytes of an answer as they come, unless it is a problem document, which may take `wait` seconds longer than others.
  public func get(_ path: String, wait: Int = 0) async throws(ControlError) -> [UInt8] {
    let response = try await send(path, nil, within: patience + .seconds(wait))
    try check(response)
    return response.body
  }

  /// Sends a body, and returns the answer as it comes, which may be a problem document.
  public func post(
    _ path: String, body: [UInt8], for person: FleetPerson? = nil
  ) async throws(ControlError) -> (status: Int, body: [UInt8]) {
    let response = try await send(path, body, within: bulkPatience, for: person)
    return (response.status, response.body)
  }

  /// Makes a call, with the texts of the answer as codes.
  func call<Answer: JSONMessage>(
    _ path: String, _ query: String = "", body: [UInt8]? = nil, within patience: Duration? = nil,
    for person: FleetPerson? = nil
  ) async throws(ControlError) -> Answer {
    let target = path + "?texts=coded" + (query.isEmpty ? "" : "&" + query)
    let response = try await send(target, body, within: patience ?? self.patience, for: person)
    try check(response)
    do throws(JSONFault) {
      return try Answer(bytes: response.body)
    } catch {
      throw .unreadable(socket: socket, words: error.words)
    }
  }

  private func check(_ response: HTTPResponse) throws(ControlError) {
    // A fleet accepts a command that a host has yet to carry out.
    guard response.status == 200 || response.status == 202 else {
      throw .problem(problem(status: response.status, headers: response.headers, body: response.body))
    }
  }

  private func send(
    _ path: String, _ body: [UInt8]?, within patience: Duration, for person: FleetPerson? = nil
  ) async throws(ControlError) -> HTTPResponse {
    var request = HTTPRequest(
      RequestShape(
        method: body == nil ? "GET" : "POST", connectTimeout: self.patience, totalTimeout: patience, unixSocket: socket),
      url: "http://localhost" + path, headers: [HTTPHeader("Accept", "application/json")], bodyLimit: Self.answerLimit)
    if let person {
      request.headers.append(HTTPHeader("Waybill-On-Behalf-Of", person.name))
      if let role = person.role { request.headers.append(HTTPHeader("Waybill-On-Behalf-Role", role)) }
    }
    if let body {
      request.headers.append(HTTPHeader("Content-Type", "application/json"))
      request.body = .bytes(body)
    }
    let response: HTTPResponse
    do {
      response = try await transport.send(request)
    } catch {
      throw ControlError(error, socket: socket)
    }
    guard !response.bodyTruncated else { throw .unreadable(socket: socket, words: "the answer is too large") }
    return response
  }

  func problem(status: Int, headers: HTTPHeaders, body: [UInt8]) -> ProblemDocument {
    // Ignored: of an answer that is not one of ours only the status is known.
    guard headers[first: "Content-Type"]?.hasPrefix(ProblemDocument.mediaType) == true,
      let problem = try? ProblemDocument(bytes: body)
    else {
      return ProblemDocument(status: status, detail: "HTTP status \(status)")
    }
    return problem
  }
}

extension ControlError {
  init(_ error: TransferError, socket: String) {
    switch error.kind {
    case .connect where error.osError == EACCES || error.osError == EPERM: self = .notPermitted(socket: socket)
    case .connect where error.osError == ENOENT || error.osError == ECONNREFUSED:
      self = .noDaemon(socket: socket, words: "nothing listens there")
    case .cancelled: self = .cancelled
    case .badResponse, .tooLarge: self = .unreadable(socket: socket, words: error.words)
    default: self = .noDaemon(socket: socket, words: error.words)
    }
  }
}
