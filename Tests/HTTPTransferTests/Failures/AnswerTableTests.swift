import ChildProcesses
import HTTPTransfer
import Jobs
import Testing

/// Every status from 100 to 599, at both servers, with each sort of body: the verdict and the word to the gate are what the
/// contract's table says, which stands here as ranges of numbers.
@Suite struct AnswerTableTests {
  enum Body: String, CaseIterable, Sendable {
    case json, html, empty

    var headers: [HTTPHeader] {
      switch self {
      case .json: [HTTPHeader("Content-Type", "application/json")]
      case .html: [HTTPHeader("Content-Type", "text/html; charset=utf-8")]
      case .empty: []
      }
    }

    var text: String {
      switch self {
      case .json: #"{"error":"words of the server"}"#
      case .html: "<html><head><title>words of the server</title></head></html>"
      case .empty: ""
      }
    }
  }

  /// The contract's section 4 by the status alone, and for what the body changes.
  private static func row(_ status: Int, _ server: StatusError.Server, _ body: Body) -> (Verdict, Gate.Symptom.Kind) {
    let retry = Verdict.retry(after: .seconds(2))
    switch status {
    case 503: return (.abort, .unavailable)
    // 495 and 496 are nginx's, for client certificates.
    case 401, 495, 496: return (.awaitCredentials, .credentials)
    case 429: return (.wait(after: .seconds(30)), .throttled)
    case 511: return (.awaitNetwork, .network)
    case 408, 425: return (retry, .transient)
    case 402 where server == .storage: return (.ask, .doubtful)
    case 300...399, 407, 421, 501, 505: return (.ask, .doubtful)
    case 500, 502, 504, 507, 520...530: return (retry, .gateway)
    case 404 where server == .backend, 405 where server == .backend: return (.ask, .doubtful)
    case 403 where body == .html, 200...299 where body == .html: return (.ask, .doubtful)
    case 400...499: return (.ask, .answered)
    default: return (retry, .transient)
    }
  }

  private static func failure(_ status: Int, _ server: StatusError.Server, _ body: Body) -> Failure {
    let response = HTTPResponse(status: status, headers: HTTPHeaders(body.headers), body: Array(body.text.utf8))
    return StatusError(response, from: server, now: Timestamp(seconds: 0), hiding: .none).failure
  }

  @Test(arguments: StatusError.Server.both, Body.allCases)
  func everyAnswerFollowsContract(_ server: StatusError.Server, _ body: Body) {
    let policy = RetryPolicy(delays: [.seconds(2)], jitter: 0)
    var random: any RandomNumberGenerator = Seeds.numbers()
    for status in 100...599 {
      let failure = Self.failure(status, server, body)
      let verdict = Verdict.on(
        failure, delaysSpent: 0, policy: policy, settle: .zero, random: &random)
      let (expected, symptom) = Self.row(status, server, body)
      #expect(verdict == expected, "\(status) \(server) \(body)")
      let met = Gate.Symptom(of: failure, verdict).kind
      #expect(met == symptom, "\(status) \(server) \(body)")
    }
  }

  @Test(arguments: StatusError.Server.both, Body.allCases)
  func failureReportsStatusAndBody(_ server: StatusError.Server, _ body: Body) {
    for status in 100...599 {
      let failure = Self.failure(status, server, body)
      #expect(failure.words.hasPrefix("HTTP \(status)"), "\(failure.words)")
      #expect(failure.answer == (body == .empty ? nil : body.text), "\(status)")
      if body != .empty, !(300...399).contains(status) {
        #expect(failure.words.contains("words of the server"), "\(status): \(failure.words)")
      }
    }
  }

  /// nginx's own titles (`ssl_verify_client on`). The same words in another status, or not in a page's title, say nothing.
  @Test func refusedCertificateIsCredentialFailure() {
    for title in ["400 No required SSL certificate was sent", "400 The SSL certificate error"] {
      let page = Array("<html>\r\n<head><title>\(title)</title></head></html>".utf8)
      for status in 100...599 where status != 401 {
        let response = HTTPResponse(
          status: status, headers: HTTPHeaders([HTTPHeader("Content-Type", "text/html")]), body: page)
        let failure = StatusError(response, from: .backend, now: Timestamp(seconds: 0), hiding: .none).failure
        #expect((failure.kind == .credentials) == [400, 495, 496].contains(status), "\(status)")
        if status == 400 {
          #expect(failure.words.contains(title) && failure.words.contains("see client_cert"), "\(failure.words)")
        }
      }
      let plain = HTTPResponse(
        status: 400, headers: HTTPHeaders([HTTPHeader("Content-Type", "text/plain")]), body: Array(title.utf8))
      #expect(StatusError(plain, from: .backend, now: Timestamp(seconds: 0), hiding: .none).failure.kind == .rejected)
    }
  }
}
