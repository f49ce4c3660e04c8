/// What `GET /v1/credentials` answers.
public struct CredentialList: Hashable, Sendable, Codable {
  /// Each key, token and secret of the configuration, by destination.
  public var credentials: [CredentialMessage]

  /// A list.
  public init(credentials: [CredentialMessage]) { self.credentials = credentials }
}

/// Where a key, token or secret comes from. The value of a secret is never in it.
public struct CredentialMessage: Hashable, Sendable, Codable {
  /// The destination that it is for, e.g. `storage.main`.
  public var destination: String
  /// Its key in the configuration, e.g. `access_key`.
  public var key: String
  /// Where it is read, in words, e.g. `/etc/waybill/keys/s3-access-key`.
  public var source: String
  /// An access key's id as the next attempt uses it; null for a secret, and for what cannot be read.
  public var id: String?
  /// Whether a different value counts from the next attempt on; else only after a restart.
  public var changesWhileRunning: Bool
  /// Why it cannot be read now; null where it can.
  public var error: String?
  /// Whether the destination's gate is closed because its key was refused.
  public var isRefused: Bool

  enum CodingKeys: String, CodingKey {
    case destination, key, source, id, error
    case changesWhileRunning = "changes_while_running"
    case isRefused = "refused"
  }

  /// A credential.
  public init(
    destination: String, key: String, source: String, id: String?, changesWhileRunning: Bool, error: String?,
    isRefused: Bool
  ) {
    self.destination = destination
    self.key = key
    self.source = source
    self.id = id
    self.changesWhileRunning = changesWhileRunning
    self.error = error
    self.isRefused = isRefused
  }

  /// Writes every member; absent is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(destination, forKey: .destination)
    try container.encode(key, forKey: .key)
    try container.encode(source, forKey: .source)
    try container.encode(id, forKey: .id)
    try container.encode(changesWhileRunning, forKey: .changesWhileRunning)
    try container.encode(error, forKey: .error)
    try container.encode(isRefused, forKey: .isRefused)
  }
}
