/// The key that signs requests, read for each attempt.
public struct SigningKey: Hashable, Sendable {
  /// The id of the key, which travels with each request.
  public let accessKey: String
  /// The secret, which never leaves the process.
  public let secret: String
  /// The token of a temporary session, if the key belongs to one.
  public let sessionToken: String?

  /// The parts that are secret. The key's id is not one: storages name it when they refuse it.
  package var secrets: [String] { [secret, sessionToken].compactMap(\.self) }

  /// Creates a key from the values of the credentials' source.
  public init(accessKey: String, secret: String, sessionToken: String? = nil) {
    self.accessKey = accessKey
    self.secret = secret
    self.sessionToken = sessionToken
  }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Only the key's id.
  public var description: String { "signing key \(accessKey)" }
  /// Only the key's id.
  public var debugDescription: String { description }
  /// Hides the secret from `dump` and from failed expectations too.
  public var customMirror: Mirror { Mirror(self, children: ["accessKey": accessKey]) }
}
