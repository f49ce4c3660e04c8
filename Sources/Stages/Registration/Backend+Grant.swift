import HTTPTransfer
public import Jobs
import Settings

extension Backend {
  /// The maximum number of bytes of a grant: 10,000 URLs of parts, which have 2 KB and more with the token of temporary keys.
  private static let grantLimit = 32 << 20

  /// Asks the backend to grant an upload, with the token and the headers of a registration.
  /// - Returns: the body of the answer, which is a 2xx and no page of HTML.
  /// - Throws: a `Failure` of the backend, or `CancellationError`.
  public func grant(id: JobID, body: [UInt8], at url: String) async throws -> [UInt8] {
    let call = Call(
      shape: Self.shape("POST", settings), url: url, id: id, job: id, body: body, answerLimit: Self.grantLimit)
    let answer = await ask(call) { response, mask in
      guard (200..<300).contains(response.status) else {
        throw StatusError(response, from: .backend, now: shared.now(), hiding: mask)
      }
      if let failure = BackendSettings.Success().failure(of: response, hiding: mask) { throw failure }
      return response.body
    }
    switch answer {
    case .success(let body): return body
    case .failure(.failed(var failure)):
      (failure.grantor, failure.mayHaveActed) = (.backend(settings.name), false)
      throw failure
    case .failure(.cut): throw CancellationError()
    }
  }
}
