import ControlAPI
import HTTPTypes
import HummingbirdCore
import Jobs
import NIOCore

/// An answer before it is sent: a message as JSON, or a problem document.
struct ControlAnswer {
  var status: HTTPResponse.Status
  var headers: HTTPFields
  var body: [UInt8]

  /// A message with status 200.
  init(_ message: some Encodable) throws {
    status = .ok
    headers = [.contentType: "application/json"]
    body = try ControlJSON.encode(message)
  }

  /// A message that is JSON already, with status 200.
  init(json: [UInt8]) {
    status = .ok
    headers = [.contentType: "application/json"]
    body = json
  }

  /// The head of an answer that has no body.
  init(headers: HTTPFields) {
    status = .ok
    self.headers = headers
    body = []
  }

  /// A text with status 200.
  init(text: String, type: String) {
    status = .ok
    headers = [.contentType: type]
    body = Array(text.utf8)
  }

  /// A file of the operator's page. Nothing in it comes from anywhere else, and nobody may put it into a page of their own.
  init(_ file: OperatorPage.File) {
    status = .ok
    headers = [
      .contentType: file.mediaType, .contentSecurityPolicy: OperatorPage.securityPolicy,
      .xContentTypeOptions: "nosniff",
    ]
    headers[.referrerPolicy] = "no-referrer"
    body = file.bytes
  }

  /// A problem document. With 405, `allow` names the methods that there are.
  init(_ problem: ProblemDocument, allow: String? = nil) throws {
    status = HTTPResponse.Status(code: problem.status, reasonPhrase: problem.title)
    headers = [.contentType: ProblemDocument.mediaType]
    headers[.allow] = allow
    body = try ControlJSON.encode(problem)
  }

  /// The answer as Hummingbird sends it.
  var response: Response {
    var headers = headers
    headers[.cacheControl] = "no-store"
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}

extension ProblemDocument {
  /// Adapts an error of a handler or an operation; nil for one that is nobody's.
  init?(adapting error: any Error) {
    switch error {
    case let problem as ProblemDocument:
      self = problem
    case let invalid as InvalidRequest:
      self.init(status: 400, detail: invalid.detail)
    case let unknown as UnknownJob:
      self.init(status: 404, detail: "There is no job \(unknown.reference)")
    case let refused as CommandRefused:
      self.init(refused.refusal, changedBy: refused.changedBy, changedAt: refused.changedAt)
    case let refusal as Refusal:
      self.init(refusal, changedBy: nil, changedAt: nil)
    case let failed as ReleaseFailed:
      self.init(status: 409, detail: failed.words)
    case is CancellationError:
      self.init(status: 503, detail: "The daemon is stopping")
    default:
      return nil
    }
  }

  private init(_ refusal: Refusal, changedBy: Caller?, changedAt: Timestamp?) {
    let job = refusal.job
    let detail =
      switch refusal.reason {
      case .state:
        "Job \(job.number) is \(job.state.words(at: job.step)); this command does not apply"
      case .revision(let seen): "Job \(job.number) has changed: its revision is \(job.revision), not \(seen)"
      }
    self.init(status: 409, detail: detail, conflict: Conflict(job, changedBy: changedBy, changedAt: changedAt))
  }
}

extension State {
  /// The state of a job at a step, for a person.
  fileprivate func words(at step: Step) -> String {
    switch self {
    case .queued: "queued for \(step.rawValue)"
    case .active: "at its \(step.rawValue)"
    case .deferred: "waiting for its next try to \(step.rawValue)"
    case .awaitingConfirmation: "waiting for an answer about its \(step.rawValue)"
    case .awaitingCredentials: "waiting for a key to \(step.rawValue)"
    case .awaitingNetwork: "waiting for the network to \(step.rawValue)"
    case .registered, .aborted, .cancelled, .discarded: rawValue
    case .moved: "at another host"
    }
  }
}

extension HTTPField.Name {
  /// The name is well formed, so it is one.
  fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .xContentTypeOptions
}
