import Credentials
import HTTPTransfer
public import Jobs
import Settings
import Synchronization

extension Backend {
  /// Checks that the backend can be reached, without registering anything: OPTIONS (RFC 9110, 9.3.7) with the headers of a
  /// registration.
  ///
  /// - Returns: the status of the answer, and true if it is an HTML page. Any status shows that the connection works; 401 shows
  ///   that the backend wants another token.
  /// - Throws: the reason why there was no answer, or why the backend refuses the client certificate.
  public func reach() async throws(Failure) -> (status: Int, isPage: Bool) {
    let used = Mutex<Secrets?>(nil)
    do {
      let response = try await shared.transport.send(RequestTraits()) { () async throws -> HTTPRequest in
        let secrets = try await self.secrets()
        used.withLock { $0 = secrets }
        var headers = self.headers
        for (name, value) in secrets.headers { headers[name] = value }
        if let token = secrets.token { headers["Authorization"] = "Bearer \(token.text)" }
        headers["User-Agent"] = self.shared.userAgent
        let sorted = headers.sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) }
        return self.trial("OPTIONS", self.settings.url, secrets, headers: sorted)
      }
      let refusal = StatusError(response, from: .backend, now: shared.now(), hiding: mask(used.withLock(\.self)))
      if refusal.refusesCertificate { throw refusal }
      return (response.status, response.isHTML && response.beginsWithTag)
    } catch {
      throw failure(of: error, hiding: mask(used.withLock(\.self)))
    }
  }
}
