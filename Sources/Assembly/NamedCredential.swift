public import Credentials

/// One of a destination's keys, tokens and secrets.
public struct NamedCredential: Sendable {
  /// Its key in the configuration, e.g. `access_key`.
  public let key: String
  /// What it is read by.
  public let reader: CredentialReader
  /// Whether it may be shown: an access key's id, and nothing else.
  public let isShown: Bool

  init(key: String, reader: CredentialReader, isShown: Bool = false) {
    self.key = key
    self.reader = reader
    self.isShown = isShown
  }
}
