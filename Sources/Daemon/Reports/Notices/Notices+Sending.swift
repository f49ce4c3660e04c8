import Credentials
import HTTPTransfer
import Jobs
import Messages
import Settings

extension Notices {
  private static let answerLimit = 4096

  func send(_ batch: NoticeQueue.Batch, to receiver: Receiver) async {
    var outcome = NoticeQueue.Outcome.failed
    let why: Message
    var wait = Duration.zero
    do {
      let response = try await post(batch, to: receiver)
      outcome = NoticeQueue.Outcome(status: response.status)
      why = .itAnswered(status: response.status)
      wait = response.headers[first: "Retry-After"].flatMap { RetryAfter.parse($0, now: clock.now()) } ?? .zero
    } catch {
      why = Failure(for: error).message
    }
    if !Task.isCancelled { end(outcome, of: receiver, why: why, retryAfter: wait) }
  }

  private func post(_ batch: NoticeQueue.Batch, to receiver: Receiver) async throws -> HTTPResponse {
    let settings = receiver.settings
    let body = batch.body(host: host)
    // The same for each attempt of a request, and for no other request of any daemon.
    let id = batch.id(host: host, mark: receiver.mark)
    return try await opened().send(RequestTraits()) { [self] in
      var headers = [HTTPHeader("Content-Type", "application/json"), HTTPHeader("User-Agent", userAgent)]
      if let token = settings.token {
        headers.append(HTTPHeader("Authorization", "Bearer \(try readers.reader(token).read().text)"))
      }
      if let secret = settings.signingSecret {
        let signer = try WebhookSigner(secret: try readers.reader(secret).read().text)
        headers += signer.headers(id: id, time: clock.now(), body: body)
      }
      return HTTPRequest(
        RequestShape(method: "POST", totalTimeout: WebhookSettings.longestRequest, caFile: settings.caFile),
        url: settings.url, headers: headers, body: .bytes(body), bodyLimit: Self.answerLimit)
    }
  }

  /// The part of a webhook's URL that is no secret: scheme and host.
  static func shown(_ url: String) -> String {
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count > 2 else { return "its URL" }
    let host = parts[2].prefix { $0 != "?" && $0 != "#" }
    return "\(parts[0])//\(host.split(separator: "@").last ?? "")"
  }
}
