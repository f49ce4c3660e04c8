import Credentials
import HTTPTransfer
import Jobs
import Messages
import Settings

extension Notices {
  /// The number of failures in a row that are reported to a person.
  static let patience = 3
  private static let answerLimit = 4096
  private static let pingTimeout: Duration = .seconds(20)

  /// Sends notices to a receiver.
  func send(_ batch: NoticeQueue.Batch, to receiver: Receiver) async {
    let settings = receiver.settings
    var outcome = NoticeQueue.Outcome.failed
    var why: Message?
    var wait = Duration.zero
    do {
      let response = try await post(batch, to: receiver)
      outcome = NoticeQueue.Outcome(status: response.status)
      why = .itAnswered(status: response.status)
      wait = response.headers[first: "Retry-After"].flatMap { RetryAfter.parse($0, now: parts.clock.now()) } ?? .zero
    } catch {
      why = Failure(for: error).message
    }
    if Task.isCancelled { return }
    // A reload may have removed it in the meantime.
    guard let failures = ended(receiver, outcome, retryAfter: wait) else { return }
    let name = Self.receiver(settings.name)
    if outcome == .delivered {
      report(of: name, nil)
    } else if outcome == .refused || failures >= Self.patience, let why {
      report(of: name, .noticesFail(url: PingAddress.shown(settings.url), why: why))
    }
  }

  private func post(_ batch: NoticeQueue.Batch, to receiver: Receiver) async throws -> HTTPResponse {
    let settings = receiver.settings
    let body = NoticeBody(host: parts.host, notices: batch.notices, leftOut: batch.leftOut).json
    // The same for each attempt of a request, and for no other request of any daemon.
    let id = batch.id(host: parts.host, mark: receiver.mark)
    return try await opened().send(RequestTraits()) { [parts] in
      var headers = [HTTPHeader("Content-Type", "application/json"), HTTPHeader("User-Agent", parts.userAgent)]
      if let token = settings.token {
        headers.append(HTTPHeader("Authorization", "Bearer \(try parts.reader(token).read().text)"))
      }
      if let secret = settings.signingSecret {
        let signer = try WebhookSigner(secret: try parts.reader(secret).read().text)
        headers += signer.headers(id: id, time: parts.clock.now(), body: body)
      }
      return HTTPRequest(
        RequestShape(method: "POST", totalTimeout: WebhookSettings.longestRequest, caFile: settings.caFile),
        url: settings.url, headers: headers, body: .bytes(body), bodyLimit: Self.answerLimit)
    }
  }

  /// Sends a ping.
  func ping(_ settings: NotifySettings, _ url: String) async {
    defer { pinged() }
    let request = HTTPRequest(
      RequestShape(method: "GET", totalTimeout: Self.pingTimeout, caFile: settings.caFile), url: url,
      headers: [HTTPHeader("User-Agent", parts.userAgent)], bodyLimit: Self.answerLimit)
    var failure: Message?
    do {
      let status = try await opened().send(request).status
      if !(200..<300).contains(status) { failure = .itAnswered(status: status) }
    } catch {
      failure = Failure(for: error).message
    }
    // A reload may have given it another URL in the meantime.
    if Task.isCancelled || options.notify.ping != url { return }
    turns.end(wasTaken: failure == nil)
    if let failure {
      if turns.failures >= Self.patience {
        report(of: Self.ping, .pingFails(url: PingAddress.shown(url), why: failure))
      }
    } else {
      report(of: Self.ping, nil)
    }
  }
}
