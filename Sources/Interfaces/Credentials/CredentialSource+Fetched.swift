public import Jobs

extension CredentialSource {
  /// Returns the object that fetches the value, for its ``CredentialReader``; nil for a source that is not fetched.
  /// - Parameters:
  ///   - environment: the daemon's environment as it was at start.
  ///   - now: the wall clock, by which keys expire.
  ///   - notice: called once when a renewal fails while the old value is still valid.
  public func fetched(
    environment: [String: String], now: @escaping @Sendable () -> Timestamp,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) -> RenewedCredential? {
    switch self {
    case .aws(let name, let proxy):
      RenewedCredential(aws: name, proxy: proxy, environment: environment, now: now, notice: notice)
    case .oauth(let client): RenewedCredential(oauth: client, environment: environment, now: now, notice: notice)
    case .file, .credential, .environment, .awsProfile: nil
    }
  }
}
