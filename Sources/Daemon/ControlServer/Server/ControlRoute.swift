import ControlAPI
package import HTTPTypes
package import Jobs
import Messages
package import WebPages

/// The operation that a method and a path of the control socket name.
package enum ControlRoute: Equatable {
  case description
  case status(query: String)
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
  case metrics
  case page(OperatorPage.File)

  /// Finds the route of a request.
  /// - Throws: ``ProblemDocument`` 404 for an unknown path, and 400 for a command with a query; ``WrongMethod`` for a method that
  ///   the path does not have.
  package init(_ request: HTTPRequest) throws {
    let target = request.path ?? ""
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = halves.first.map(String.init) ?? ""
    let query = halves.count > 1 ? String(halves[1]) : ""
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    if let file = OperatorPage.File(rawValue: path) {
      self = .page(file)
    } else if path == "/metrics" {
      self = .metrics
    } else {
      guard segments.first == "v1", let call = try Self.call(segments, query) else { throw Self.noSuchPath(path) }
      self = call
    }
    let (isChange, hasQuery) = kind
    let wanted: HTTPRequest.Method = isChange ? .post : .get
    guard request.method == wanted || request.method == .head && !isChange else {
      throw WrongMethod(allowed: isChange ? wanted.rawValue : "GET, HEAD")
    }
    // A command that ignored its query would do more than the caller asked for.
    guard query.isEmpty || hasQuery else {
      let shown = DisplayText.escape(query)
      throw ProblemDocument(
        .invalidRequest, saying: isChange ? .queryOfCommand(query: shown) : .parameterUnknown(query: shown))
    }
  }

  private static func call(_ segments: [String], _ query: String) throws -> ControlRoute? {
    switch (segments.count, segments.dropFirst().first, segments.last) {
    case (2, "openapi.json", _): .description
    case (2, "status", _): .status(query: query)
    case (2, "jobs", _): .jobs(query: query)
    case (2, "groups", _): .groups(query: query)
    case (2, "explain", _): .explain(query: query)
    case (2, "changes", _): .changes(query: query)
    case (2, "events", _): .events(query: query)
    case (2, "log", _): .log(query: query)
    case (2, "pause", _): .pause
    case (2, "resume", _): .resume
    case (2, "reload", _): .reload
    case (2, "credentials", _): .credentials
    case (3, "jobs", let last?):
      if let name = JobCommand.Name(rawValue: last) {
        name.isForMany ? .commandMany(name) : nil
      } else {
        .job(try reference(last))
      }
    case (4, "jobs", let last?):
      if let name = JobCommand.Name(rawValue: last) { .command(name, try reference(segments[2])) } else { nil }
    default: nil
    }
  }

  /// True for a call that changes something; true for one that may have a query.
  private var kind: (isChange: Bool, hasQuery: Bool) {
    switch self {
    case .command, .commandMany, .pause, .resume, .reload: (true, false)
    case .description, .job, .credentials: (false, false)
    case .status, .jobs, .groups, .explain, .changes, .events, .log, .metrics, .page: (false, true)
    }
  }

  struct WrongMethod: Error { var allowed: String }

  private static func reference(_ segment: String) throws -> JobReference {
    // A client may encode the colon after a host's name. Everything else has one form.
    guard let reference = JobReference(segment.replacing(/%3A/.ignoresCase(), with: ":")) else {
      throw ProblemDocument(.unknownJob, saying: .jobNameUnknown(job: DisplayText.escape(segment)))
    }
    return reference
  }

  private static func noSuchPath(_ path: String) -> ProblemDocument {
    ProblemDocument(.unknownPath, saying: .nothingAt(path: DisplayText.escape(path)))
  }
}
