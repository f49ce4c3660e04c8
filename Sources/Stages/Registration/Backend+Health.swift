import HTTPTransfer
public import Jobs
import Messages
import Settings

extension Backend {
  /// Looks whether the backend is well, by a GET of ``BackendSettings/health``, with neither token nor headers of registrations. A 2xx
  /// is well. It registers nothing. Without such a URL it only looks whether there is a connection, if it is asked to.
  ///
  /// - Returns: the failure; nil if the backend is healthy, or can be reached, or nothing was asked. An answer other than a 2xx is a
  ///   failure that may pass.
  /// - Throws: `CancellationError` if the task was cancelled or the transport shut down.
  public func look(forConnection: Bool = false) async throws(CancellationError) -> Failure? {
    guard let health = settings.health else { return forConnection ? try await lookForConnection() : nil }
    do {
      let response = try await transport.send(RequestTraits()) {
        let secrets = try await self.secrets()
        return HTTPRequest(
          method: "GET", url: health, headers: [HTTPHeader("User-Agent", self.userAgent)],
          bodyLimit: Self.bodyLimit, connectTimeout: self.settings.connectTimeout, totalTimeout: self.settings.timeout,
          caFile: self.settings.caFile, identity: secrets.identity, proxy: self.settings.proxy)
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

  /// Connects to the backend, and asks nothing of it. What else goes wrong, the job meets itself.
  private func lookForConnection() async throws(CancellationError) -> Failure? {
    do {
      _ = try await transport.send(RequestTraits()) {
        let secrets = try await self.secrets()
        return HTTPRequest(
          method: HTTPRequest.onlyConnects, url: self.settings.url, connectTimeout: self.settings.connectTimeout,
          totalTimeout: self.settings.timeout, caFile: self.settings.caFile, identity: secrets.identity,
          proxy: self.settings.proxy)
      }
      return nil
    } catch let error as TransferError where error.kind == .cancelled {
      throw CancellationError()
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      let failure = Self.adapters.failure(for: error)
      return failure.kind == .network ? failure : nil
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
