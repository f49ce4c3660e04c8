import ControlAPI
import Credentials
import HTTPTransfer
import Jobs
import Registration
import Settings

extension Notices {
  /// The failures in a row after which a person is told.
  static let patience = 3
  private static let answerLimit = 4096
  private static let pingTimeout: Duration = .seconds(20)
  /// The most bytes of what is told with a failure; healthchecks.io keeps 100 kB, Uptime Kuma nothing.
  private static let mostWords = 10_000

  /// Sends notices to a receiver. Any 2xx counts as delivered.
  func send(_ batch: NoticeQueue.Batch, to settings: WebhookSettings) async {
    let receiver = Self.receiver(settings.name)
    var outcome = NoticeQueue.Outcome.failed
    var words: String?
    var wait = Duration.zero
    do {
      let response = try await request(batch, settings).send(over: opened())
      switch response.status {
      case 200..<300: outcome = .delivered
      case 408, 429, 500...:
        words = "it answered HTTP \(response.status)"
        wait = response.headers[first: "Retry-After"].flatMap(Int.init).map { .seconds($0) } ?? .zero
      default:
        outcome = .refused
        words = "it answered HTTP \(response.status)"
      }
    } catch {
      words = Self.words(error)
    }
    if Task.isCancelled { return }
    ended(settings.name, outcome, retryAfter: wait)
    let failures = receivers[settings.name]?.queue.failures ?? 0
    if outcome == .delivered {
      tell(of: receiver, nil)
    } else if outcome == .refused || failures >= Self.patience, let words {
      tell(of: receiver, "notices to \(PingAddress.shown(settings.url)) fail: \(words)")
    }
  }

  private func request(_ batch: NoticeQueue.Batch, _ settings: WebhookSettings) throws -> DeferredRequest {
    let body = try ControlJSON.encode(NoticeBody(host: parts.host, notices: batch.notices, leftOut: batch.leftOut))
    // The same for each attempt of a request, and for no other request of any daemon.
    let id = "waybill-\(parts.host)-\(parts.mark)-\(batch.number)-\(settings.name)"
    return DeferredRequest { [parts] in
      var headers = [HTTPHeader("Content-Type", "application/json"), HTTPHeader("User-Agent", parts.userAgent)]
      if let token = settings.token {
        headers.append(HTTPHeader("Authorization", "Bearer \(try parts.reader(token).read().text)"))
      }
      if let secret = settings.signingSecret {
        let signer = try WebhookSigner(secret: try parts.reader(secret).read().text)
        headers += signer.headers(id: id, time: parts.clock.now(), body: body)
      }
      return HTTPRequest(
        method: "POST", url: settings.url, headers: headers, body: .bytes(body), bodyLimit: Self.answerLimit,
        totalTimeout: settings.timeout, caFile: settings.caFile)
    }
  }

  /// Sends a ping, or tells of trouble.
  func ping(_ url: String, _ trouble: [String]) async {
    defer { pinged() }
    // Without a way to tell of trouble, the silence does.
    if !trouble.isEmpty, !options.notify.pingFail { return }
    let words = Array(trouble.joined(separator: "\n").utf8.prefix(Self.mostWords))
    let request = DeferredRequest { [parts] in
      let agent = HTTPHeader("User-Agent", parts.userAgent)
      return trouble.isEmpty
        ? HTTPRequest(
          method: "GET", url: url, headers: [agent], bodyLimit: Self.answerLimit, totalTimeout: Self.pingTimeout)
        : HTTPRequest(
          method: "POST", url: PingAddress.failure(of: url),
          headers: [agent, HTTPHeader("Content-Type", "text/plain; charset=utf-8")], body: .bytes(words),
          bodyLimit: Self.answerLimit, totalTimeout: Self.pingTimeout)
    }
    var failure: String?
    do {
      let status = try await request.send(over: opened()).status
      if !(200..<300).contains(status) { failure = "it answered HTTP \(status)" }
    } catch {
      failure = Self.words(error)
    }
    if Task.isCancelled { return }
    pingFailures = failure == nil ? 0 : pingFailures + 1
    if let failure {
      if pingFailures >= Self.patience {
        tell(of: Self.ping, "the ping to \(PingAddress.shown(url)) fails: \(failure)")
      }
    } else {
      tell(of: Self.ping, nil)
    }
  }

  private static func words(_ error: any Error) -> String {
    switch error {
    case let error as TransferError: error.words
    case let error as CredentialError: error.reason
    default: "\(error)"
    }
  }
}
