/// The kinds of problems that the control socket answers, for programs: the member `code` of a problem document. Each has one
/// status; words may change, codes do not.
public enum ProblemCode: String, Hashable, Sendable, CaseIterable, JSONValue {
  /// A parameter, a header, a member of the body or the JSON itself cannot be accepted.
  case invalidRequest = "invalid-request"
  /// A browser sent the request, and the socket serves none.
  case browser
  /// The caller may not act for other people.
  case onBehalfOf = "on-behalf-of"
  /// The request names a host that is not this one.
  case host
  /// A request to `waybill web` lacks the token of the page.
  case token
  /// There is nothing at the path.
  case unknownPath = "unknown-path"
  /// There is no such job.
  case unknownJob = "unknown-job"
  /// There is no such group of jobs.
  case unknownGroup = "unknown-group"
  /// There is no such spool, storage or backend.
  case unknownDestination = "unknown-destination"
  /// The path does not support the method.
  case method = "method-not-allowed"
  /// The command does not apply to the state of the job.
  case state = "wrong-state"
  /// The job has another revision than the one in the request.
  case revision = "wrong-revision"
  /// The group is not the one that was shown.
  case group = "group-changed"
  /// The file could not be given back.
  case release = "release-failed"
  /// The spool of the job is not in the configuration, so its file cannot be removed.
  case spoolMissing = "spool-not-configured"
  /// The body is too long.
  case tooLarge = "body-too-large"
  /// The configuration cannot be used.
  case configuration = "configuration-rejected"
  /// The link cannot be registered.
  case link = "link-rejected"
  /// The backend of the job is not in the configuration.
  case backendMissing = "backend-not-configured"
  /// An error in the daemon.
  case `internal` = "internal-error"
  /// No daemon answers behind the page.
  case noDaemon = "no-daemon"
  /// The daemon does not start, or is stopping.
  case stopping
  /// There are too many connections, readers of events or callers that wait.
  case overloaded
  /// The file of the job stays where it was dropped, so it cannot be given back.
  case fileInPlace = "file-in-place"

  /// The HTTP status of the kind.
  public var status: Int {
    switch self {
    case .invalidRequest: 400
    case .browser, .onBehalfOf, .host, .token: 403
    case .unknownPath, .unknownJob, .unknownGroup, .unknownDestination: 404
    case .method: 405
    case .state, .revision, .group, .release, .spoolMissing, .fileInPlace: 409
    case .tooLarge: 413
    case .configuration, .link, .backendMissing: 422
    case .internal: 500
    case .noDaemon: 502
    case .stopping, .overloaded: 503
    }
  }
}
