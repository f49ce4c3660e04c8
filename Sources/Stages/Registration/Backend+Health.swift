import HTTPTransfer
public import Jobs
import Messages

extension Backend {
  /// Checks the backend's health by a GET of ``Options/health``, with neither the token nor the headers of registrations. A 2xx
  /// means that it is healthy. Nothing is registered.
  ///
  /// - Returns: the failure; nil if the backend is healthy, or no such URL is configured. An answer other than a 2xx is a failure
  ///   that may pass.
  /// - Throws: `CancellationError` if the task was cancelled or the transport shut down.
  public func look() async throws(CancellationError) -> Failure? {
    guard let health = options.health else { return nil }
    do {
      let response = try await transport.send(RequestTraits()) {
        let secrets = try await self.secrets()
        return HTTPRequest(
          method: "GET", url: health, headers: [HTTPHeader("User-Agent", self.options.userAgent)],
          bodyLimit: Self.bodyLimit, connectTimeout: self.options.connectTimeout, totalTimeout: self.options.timeout,
          caFile: self.options.caFile, identity: secrets.identity, proxy: self.options.proxy)
      }
      if (200..<300).contains(response.status) { return nil }
      return unwell(StatusError(response, from: .backend, now: now(), hiding: .none))
    } catch let error as TransferError where error.kind == .cancelled {
      throw CancellationError()
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return unwell(error)
    }
  }

  private func unwell(_ error: any Error) -> Failure {
    var failure = Self.adapters.failure(for: error)
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
