import ControlAPI
import HTTPTypes
import HummingbirdCore
import Jobs
import Messages
import NIOCore
import WebPages

/// An answer before it is sent: a message as JSON, or a problem document.
struct ControlAnswer {
  var status = HTTPResponse.Status.ok
  var headers: HTTPFields
  var body: [UInt8] = []
}

extension ControlAnswer {
  init(_ message: some JSONMessage, _ texts: TextForm) { self.init(json: message.json(texts: texts)) }

  init(json: [UInt8]) { self.init(headers: [.contentType: "application/json"], body: json) }

  /// Creates an answer with a file of the operator's page. The page may load nothing from elsewhere, and no other page may embed
  /// it.
  init(_ file: OperatorPage.File) {
    self.init(
      headers: [
        .contentType: file.mediaType, .contentSecurityPolicy: OperatorPage.securityPolicy,
        .referrerPolicy: "no-referrer",
      ], body: file.bytes)
  }

  /// Creates an answer with a problem document. With 405, `allow` names the methods that the path has.
  init(problem: ProblemDocument, _ texts: TextForm, allow: String? = nil) {
    self.init(
      status: HTTPResponse.Status(code: problem.status, reasonPhrase: problem.title),
      headers: [.contentType: ProblemDocument.mediaType], body: problem.json(texts: texts))
    headers[.allow] = allow
  }

  var response: Response {
    var headers = headers
    (headers[.cacheControl], headers[.xContentTypeOptions]) = ("no-store", "nosniff")
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}

extension ProblemDocument {
  /// Adapts an error of a handler or an operation; nil for an error that callers are not meant to see.
  init?(adapting error: any Error) {
    switch error {
    case let problem as ProblemDocument:
      self = problem
    case let invalid as InvalidRequest:
      self.init(.invalidRequest, saying: invalid.message)
    case let unknown as UnknownJob:
      self.init(.unknownJob, saying: .noSuchJob(job: "\(unknown.reference)"))
    case let refused as CommandRefused:
      self.init(refused)
    case is CancellationError:
      self.init(.stopping, saying: .stopping)
    default:
      return nil
    }
  }

  private init(_ refused: CommandRefused) {
    let job = refused.refusal.job
    switch refused.refusal.reason {
    case .state(let command):
      let (number, wanted) = (job.number.rawValue, command.participle)
      var message = Message.cannotBe(job: number, state: job.state.message(at: job.step), wanted: wanted)
      if let change = refused.change, let changedBy = refused.changedBy, let changedAt = refused.changedAt,
        job.state.follows(change)
      {
        message = .cannotBeSince(
          job: number, what: change.rawValue, user: DisplayText.escape(changedBy.user), at: changedAt.rfc3339,
          wanted: wanted)
      }
      self.init(.wrongState, saying: message)
    case .revision(let seen):
      let message = Message.revisionChanged(job: job.number.rawValue, now: job.revision, seen: seen)
      self.init(.wrongRevision, saying: message)
    }
    state = job.state
    revision = job.revision
    lastChange = LastChange(
      at: refused.changedAt ?? job.updatedAt, by: refused.changedBy.map { CallerMessage($0) })
  }
}

extension JobState {
  /// Returns true if a job is in this state because a person made this change, and nothing else has come of it yet.
  fileprivate func follows(_ change: JobEvent.Kind) -> Bool {
    switch (self, change) {
    case (.queued, .confirmed), (.queued, .retried), (.cancelled, .cancelled), (.discarded, .discarded),
      (.discarded, .released):
      true
    default: false
    }
  }

  fileprivate func message(at step: Step) -> Message {
    isTerminal ? .stateEnded(state: rawValue) : .stateAt(state: rawValue, step: step.rawValue)
  }
}

extension HTTPField.Name {
  /// The name is well formed, so the initializer succeeds.
  fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .xContentTypeOptions
}
