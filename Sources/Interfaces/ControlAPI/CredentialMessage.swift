public import Messages

/// The answer to `GET /v1/credentials`.
public struct CredentialList: Hashable, Sendable, Codable {
  /// Each key, token and secret of the configuration, by destination.
  public var credentials: [CredentialMessage]
  /// The destinations that asked for credentials although none are configured for them.
  public var missing: [String]

  /// Creates a list.
  public init(credentials: [CredentialMessage], missing: [String] = []) {
    self.credentials = credentials
    self.missing = missing
  }

  /// The message about a destination in ``missing``.
  public static let lack = Message.noCredentials
}

/// The source of a key, token or secret. It never contains the value of a secret.
public struct CredentialMessage: Hashable, Sendable, Codable {
  /// The destination that it is for, e.g. `storage.main`.
  public var destination: String
  /// Its key in the configuration, e.g. `access_key`.
  public var key: String
  /// The source it is read from, in words, e.g. `/etc/waybill/keys/s3-access-key`.
  public var source: String
  /// An access key's id for the next attempt; null for a secret, and if it cannot be read.
  @Nullable public var id: String?
  /// The time until which it is good; null if it does not expire, or was not fetched.
  @Nullable public var expiresAt: MessageTime?
  /// True if a changed value is used from the next attempt on; false if it is used only after a restart.
  public var changesWhileRunning: Bool
  /// The reason why it cannot be read now; null if it can.
  @Nullable public var error: String?
  /// The code and the arguments of ``error``; nil for words that have none.
  @Nullable public var errorSaid: Message?
  /// True if the destination's gate is closed because its key was refused.
  public var isRefused: Bool

  enum CodingKeys: String, CodingKey {
    case destination, key, source, id, error
    case errorSaid = "error_said"
    case expiresAt = "expires_at"
    case changesWhileRunning = "changes_while_running"
    case isRefused = "refused"
  }

  /// Creates a credential's message.
  public init(
    destination: String, key: String, source: String, id: String?, expiresAt: MessageTime? = nil,
    changesWhileRunning: Bool, error: Message?, isRefused: Bool
  ) {
    self.destination = destination
    self.key = key
    self.source = source
    self.id = id
    self.expiresAt = expiresAt
    self.changesWhileRunning = changesWhileRunning
    self.error = error?.text
    errorSaid = error?.coded
    self.isRefused = isRefused
  }
}
