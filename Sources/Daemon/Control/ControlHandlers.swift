import ControlAPI
import HTTPTypes
import HummingbirdCore
import Jobs
import NIOCore

/// The handlers of the control socket: each decodes, validates, calls and encodes.
struct ControlHandlers: Sendable {
  /// The most that a request's body may have.
  static let bodyLimit = 64 * 1024

  let operations: ControlOperations
  let now: @Sendable () -> Timestamp
  let report: @Sendable (String) -> Void

  /// Answers a request. Whatever goes wrong is answered with a problem document.
  func answer(_ request: Request, by caller: () async throws -> Caller) async throws -> ControlAnswer {
    do {
      return try await carryOut(ControlRoute(request.head), request, by: caller)
    } catch let wrong as ControlRoute.WrongMethod {
      let detail = "\(request.method.rawValue) is not for this path"
      return try ControlAnswer(ProblemDocument(status: 405, detail: detail), allow: wrong.allowed)
    } catch {
      if let problem = ProblemDocument(adapting: error) { return try ControlAnswer(problem) }
      report("\(request.method.rawValue) \(DisplayText.escape(request.uri.path)) failed: \(error)")
      return try ControlAnswer(ProblemDocument(status: 500, detail: "The daemon's journal says why"))
    }
  }

  private func carryOut(
    _ route: ControlRoute, _ request: Request, by caller: () async throws -> Caller
  ) async throws -> ControlAnswer {
    switch route {
    case .status:
      return try ControlAnswer(try await operations.status())
    case .jobs(let query):
      return try ControlAnswer(try await page(try ListQuery(parsing: query, now: now())))
    case .job(let reference):
      guard let job = try await operations.job(reference) else { throw UnknownJob(reference) }
      return try ControlAnswer(job)
    case .command(let name, let reference):
      let body = try CommandBody(parsing: try await Self.body(of: request), for: name)
      if body.remove == true { throw NotAvailable("\"remove\"") }
      let command = body.command(name)
      let caller = try await caller()
      let job = try await operations.answer(reference, command, caller, body.revision)
      return try ControlAnswer(CommandAnswer(job: job, message: Self.sentence(command, job, caller)))
    case .commandMany(let name):
      let body = try BulkBody(parsing: try await Self.body(of: request), for: name, now: now())
      if body.remove == true { throw NotAvailable("\"remove\"") }
      return try ControlAnswer(try await operations.answerMany(body.selection, body.command(name), try await caller()))
    }
  }

  private func page(_ query: ListQuery) async throws -> JobPage {
    // One job more than asked for tells whether there is a next page.
    var jobs = try await operations.jobs(query.filter, query.after?.after, query.limit + 1)
    guard jobs.count > query.limit else { return JobPage(jobs: jobs, next: nil) }
    jobs.removeSubrange(query.limit...)
    let last = jobs.last.map { PageCursor(after: JobNumber(rawValue: $0.job)) }
    return JobPage(jobs: jobs, next: last?.description)
  }

  private static func sentence(_ command: Command, _ job: JobMessage, _ caller: Caller) -> String {
    let name = FileName(job.name)
    return switch command {
    case .confirm, .retry: "\(name.shown) queued for \(job.step.noun.lowercased())"
    case .cancel: Sentences.cancelled(job.step, name, by: caller.user)
    }
  }

  private static func body(of request: Request) async throws -> [UInt8] {
    let tooLarge = ProblemDocument(status: 413, detail: "A request's body may have at most \(bodyLimit) bytes")
    if let length = request.headers[.contentLength].flatMap(Int.init), length > bodyLimit { throw tooLarge }
    var bytes: [UInt8] = []
    for try await buffer in request.body {
      guard bytes.count + buffer.readableBytes <= bodyLimit else { throw tooLarge }
      bytes += buffer.readableBytesView
    }
    return bytes
  }
}
