import AWSCredentials
public import Credentials
public import Jobs

extension CredentialSource {
  /// Returns the keys of a source that is fetched, for its ``CredentialReader``; nil for the others.
  /// - Parameters:
  ///   - environment: the daemon's environment as it was at start.
  ///   - now: the wall clock, by which keys expire.
  ///   - notice: hears once when a renewal fails while the old keys are still good.
  public func fetched(
    environment: [String: String], now: @escaping @Sendable () -> Timestamp,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) -> (any FetchedKeys)? {
    guard case .aws(let name) = self else { return nil }
    return AWSKeyChain(name, environment: environment, now: now, notice: notice)
  }
}
