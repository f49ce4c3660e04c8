import Credentials
import HTTPTransfer
public import Jobs
import Messages
import Settings
import Synchronization

extension Backend {
  /// Checks by a GET of ``BackendSettings/health``, without the token and the headers of registrations, if the backend is well: it answers
  /// 2xx. Without this URL, it only checks the connection if `forConnection` is true, else nothing.
  /// - Returns: the failure, which may pass; nil if the backend is well or can be reached, or nothing was checked.
  public func look(forConnection: Bool = false) async throws(CancellationError) -> Failure? {
    guard settings.health != nil || forConnection else { return nil }
    do {
      let response = try await shared.transport.send(RequestTraits(rate: rate)) {
        let secrets = try await self.secrets()
        guard let health = self.settings.health else {
          return self.trial(HTTPRequest.onlyConnects, self.url.sample, secrets)
        }
        return self.trial("GET", health, secrets, headers: [HTTPHeader("User-Agent", self.shared.userAgent)])
      }
      if settings.health == nil || (200..<300).contains(response.status) { return nil }
      return unwell(StatusError(response, from: .backend, now: shared.now(), hiding: .none))
    } catch  where error.isCancellation {
      throw CancellationError()
    } catch {
      guard settings.health == nil else { return unwell(error) }
      // The job itself meets every other failure.
      let failure = Failure(for: error)
      return failure.kind == .network ? failure : nil
    }
  }

  func trial(_ method: String, _ url: String, _ secrets: Secrets, headers: [HTTPHeader] = []) -> HTTPRequest {
    HTTPRequest(
      Self.shape(method, settings, secrets.identity), url: url, headers: headers, bodyLimit: Self.bodyLimit)
  }

  private func unwell(_ error: any Error) -> Failure {
    var failure = Failure(for: error)
    failure.message = .answerHealth(answer: failure.message)
    switch failure.kind {
    case .unavailable, .throttled, .transient, .network: break
    // The job meets unreadable keys and certificates too, and waits for them.
    case .credentials where failure.status == nil: break
    case .credentials, .destination, .conflict, .rejected, .file, .fileChanged, .configuration:
      failure.kind = .transient
    }
    return failure
  }
}

extension Backend {
  /// Checks that the backend can be reached, without registering anything: OPTIONS (RFC 9110, 9.3.7) with the headers of a
  /// registration. In the URL, `waybill` is in place of each placeholder.
  /// - Parameter url: another URL than that of registrations; nil for that.
  /// - Returns: the status of the answer, which shows that the connection works, and true if it is an HTML page.
  /// - Throws: the reason why there was no answer, or why the backend refuses the client certificate.
  public func reach(at url: String? = nil) async throws(Failure) -> (status: Int, isPage: Bool) {
    let used = Mutex<Secrets?>(nil)
    do {
      let response = try await shared.transport.send(RequestTraits(rate: rate)) { () async throws -> HTTPRequest in
        let secrets = try await self.secrets()
        used.withLock { $0 = secrets }
        return self.trial("OPTIONS", url ?? self.url.sample, secrets, headers: self.headers(secrets))
      }
      let refusal = StatusError(response, from: .backend, now: shared.now(), hiding: mask(used.withLock(\.self)))
      if refusal.refusesCertificate { throw refusal }
      return (response.status, response.isHTML && response.beginsWithTag)
    } catch {
      throw failure(of: error, hiding: mask(used.withLock(\.self)))
    }
  }
}
