import HTTPTransfer
public import Jobs
import Messages

extension Backend {
  /// Looks whether the backend is well, by a GET of ``Options/health``, with neither token nor headers of registrations. A 2xx
  /// is well. It registers nothing.
  ///
  /// - Returns: the failure of the look; nil if the backend is well, or has no such URL. Anything but a 2xx may pass by itself.
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
    // Keys and certificates that cannot be read are met by the job too, which waits for them.
    case .credentials where failure.status == nil: break
    case .credentials, .destination, .conflict, .rejected, .file, .fileChanged, .configuration:
      failure.kind = .transient
    }
    return failure
  }
}
