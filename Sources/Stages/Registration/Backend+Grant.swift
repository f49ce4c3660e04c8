import HTTPTransfer
public import Jobs
import Settings

/// Uploads that the backend grants.
extension Backend {
  /// The maximum number of bytes of a grant: 10,000 URLs of parts.
  private static let grantLimit = 16 << 20

  /// Asks the backend to grant an upload, with the token and the headers of a registration. Errors are returned as values.
  ///
  /// - Parameters:
  ///   - id: the job's id.
  ///   - body: a JSON object that describes the upload.
  ///   - url: the URL for grants.
  /// - Returns: the body of the answer, which is a 2xx and no page of HTML.
  public func grant(id: JobID, body: [UInt8], at url: String) async -> Result<[UInt8], RegistrationFailure> {
    let call = Call(
      shape: Self.shape("POST", settings), url: url, id: id, job: id, body: body, answerLimit: Self.grantLimit)
    return await ask(call) { response, mask in
      guard (200..<300).contains(response.status) else {
        throw StatusError(response, from: .backend, now: shared.now(), hiding: mask)
      }
      if let failure = BackendSettings.Success().failure(of: response, hiding: mask) { throw failure }
      return response.body
    }
  }
}
