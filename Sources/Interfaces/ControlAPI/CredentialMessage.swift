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

  /// Reads a list; an older daemon does not list missing credentials.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    credentials = try container.decode([CredentialMessage].self, forKey: .credentials)
    missing = try container.decodeIfPresent([String].self, forKey: .missing) ?? []
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
  public var id: String?
  /// The time until which it is good; null if it does not expire, or was not fetched.
  public var expiresAt: MessageTime?
  /// True if a changed value is used from the next attempt on; false if it is used only after a restart.
  public var changesWhileRunning: Bool
  /// The reason why it cannot be read now; null if it can.
  public var error: String?
  /// The code and the arguments of ``error``; nil for words that have none.
  public var errorSaid: Message?
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

  /// Writes every member; an absent value is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(destination, forKey: .destination)
    try container.encode(key, forKey: .key)
    try container.encode(source, forKey: .source)
    try container.encode(id, forKey: .id)
    try container.encode(expiresAt, forKey: .expiresAt)
    try container.encode(changesWhileRunning, forKey: .changesWhileRunning)
    try container.encode(error, forKey: .error)
    try container.encode(errorSaid, forKey: .errorSaid)
    try container.encode(isRefused, forKey: .isRefused)
  }
}
