import ControlAPI
package import HTTPTypes
package import Jobs

/// The operation that a method and a path of the control socket name.
package enum ControlRoute: Equatable {
  case index
  case description
  case status
  case jobs(query: String)
  case job(JobReference)
  case command(JobCommand.Name, JobReference)
  case commandMany(JobCommand.Name)
  case groups(query: String)
  case explain(query: String)
  case changes(query: String)
  case events(query: String)
  case log(query: String)
  case pause
  case resume
  case reload
  case credentials
  case throughput
  case metrics
  case page(OperatorPage.File)

  /// Finds the route of a request.
  ///
  /// - Throws: ``ProblemDocument`` 404 for an unknown path, and 400 for a command with a query; ``WrongMethod`` for a method that
  ///   the path does not have.
  package init(_ request: HTTPRequest) throws {
    let target = request.path ?? ""
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = halves.first.map(String.init) ?? ""
    let query = halves.count > 1 ? String(halves[1]) : ""
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    if let file = OperatorPage.File(path: path) {
      self = .page(file)
      try Self.check(request.method, is: .get)
      return
    }
    if path == "/metrics" {
      self = .metrics
      try Self.check(request.method, is: .get)
      return
    }
    guard segments.first == "v1" else { throw Self.noSuchPath(path) }
    switch (segments.count, segments.dropFirst().first, segments.last) {
    case (1, _, _):
      self = .index
      try Self.check(request.method, is: .get)
    case (2, "openapi.json", _):
      self = .description
      try Self.check(request.method, is: .get)
    case (2, "status", _):
      self = .status
      try Self.check(request.method, is: .get)
    case (2, "jobs", _):
      self = .jobs(query: query)
      try Self.check(request.method, is: .get)
    case (2, "groups", _):
      self = .groups(query: query)
      try Self.check(request.method, is: .get)
    case (2, "explain", _):
      self = .explain(query: query)
      try Self.check(request.method, is: .get)
    case (2, "changes", _):
      self = .changes(query: query)
      try Self.check(request.method, is: .get)
    case (2, "events", _):
      self = .events(query: query)
      try Self.check(request.method, is: .get)
    case (2, "log", _):
      self = .log(query: query)
      try Self.check(request.method, is: .get)
    case (2, "pause", _):
      self = .pause
      try Self.check(request.method, is: .post)
    case (2, "resume", _):
      self = .resume
      try Self.check(request.method, is: .post)
    case (2, "reload", _):
      self = .reload
      try Self.check(request.method, is: .post)
    case (2, "credentials", _):
      self = .credentials
      try Self.check(request.method, is: .get)
    case (2, "throughput", _):
      self = .throughput
      try Self.check(request.method, is: .get)
    case (3, "jobs", let last?):
      if let name = JobCommand.Name(rawValue: last) {
        guard name.isForMany else { throw Self.noSuchPath(path) }
        self = .commandMany(name)
        try Self.check(request.method, is: .post)
      } else {
        self = .job(try Self.reference(last))
        try Self.check(request.method, is: .get)
      }
    case (4, "jobs", let last?):
      guard let name = JobCommand.Name(rawValue: last) else { throw Self.noSuchPath(path) }
      self = .command(name, try Self.reference(segments[2]))
      try Self.check(request.method, is: .post)
    default:
      throw Self.noSuchPath(path)
    }
    guard query.isEmpty || request.method == .post || takesParameters else {
      throw ProblemDocument(
        .invalidRequest, detail: "parameter \"\(DisplayText.escape(query))\" is not known; there are none here")
    }
    // A command that ignored its query would do more than the caller asked for.
    guard request.method != .post || query.isEmpty else {
      throw ProblemDocument(
        .invalidRequest,
        detail: "A command takes nothing behind its path: put ?\(DisplayText.escape(query)) into the body, as JSON")
    }
  }

  private var takesParameters: Bool {
    switch self {
    case .jobs, .groups, .explain, .changes, .events, .log: true
    case .index, .description, .status, .job, .command, .commandMany, .pause, .resume, .reload, .credentials,
      .throughput,
      .metrics, .page:
      false
    }
  }

  /// An error with the methods that the path does have.
  struct WrongMethod: Error { var allowed: String }

  private static func check(_ method: HTTPRequest.Method, is allowed: HTTPRequest.Method) throws {
    if method == allowed || (method == .head && allowed == .get) { return }
    throw WrongMethod(allowed: allowed == .get ? "GET, HEAD" : allowed.rawValue)
  }

  private static func reference(_ segment: String) throws -> JobReference {
    guard let reference = JobReference(segment) else {
      throw ProblemDocument(
        .unknownJob, detail: "There is no job \(DisplayText.escape(segment)); a job is named by its number or its id")
    }
    return reference
  }

  private static func noSuchPath(_ path: String) -> ProblemDocument {
    ProblemDocument(.unknownPath, detail: "There is nothing at \(DisplayText.escape(path))")
  }
}
