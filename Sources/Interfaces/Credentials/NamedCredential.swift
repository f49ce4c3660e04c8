/// One of a destination's keys, tokens and secrets.
public struct NamedCredential: Sendable {
  /// Its key in the configuration, e.g. `access_key`.
  public let key: String
  /// The reader of the credential.
  public let reader: CredentialReader
  /// True if it may be shown, as only the id of an access key may.
  public let isShown: Bool

  package init(key: String, reader: CredentialReader, isShown: Bool = false) {
    self.key = key
    self.reader = reader
    self.isShown = isShown
  }
}
