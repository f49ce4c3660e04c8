public import HTTPTransfer
import Messages

/// The keys of a storage, which sign its requests. They are read for each attempt.
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

extension SigningKey: Redacted {
  /// Only the key's id.
  public var description: String { "signing key \(accessKey)" }
}

/// Keys from texts: of a profile in the shared credentials file ("Configuration and credential file settings in the AWS CLI" in its user
/// guide), or fetched.
extension SigningKey {
  /// The names of an access key's id, its secret, and a session's token.
  typealias Names = (id: String, secret: String, token: String)
  static let profileNames: Names = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")

  /// Creates keys from texts by their names. An empty token is none.
  /// - Parameter fault: returns the error for a text that is missing, or that is not fit for this reason.
  init(in values: [String: String], _ names: Names, fault: (_ name: String, Message?) -> KeyFault) throws(KeyFault) {
    func secret(_ name: String) throws(KeyFault) -> String {
      guard let text = values[name] else { throw fault(name, nil) }
      do throws(KeyFault) {
        return try Secret(Array(text.utf8)).text
      } catch {
        throw fault(name, error.message)
      }
    }
    self.init(
      accessKey: try secret(names.id), secret: try secret(names.secret),
      sessionToken: values[names.token]?.isEmpty == false ? try secret(names.token) : nil)
  }

  /// Finds a profile in the bytes of a credentials file. The words of a fault are a predicate of the file.
  package init(_ name: String, in bytes: [UInt8]) throws(KeyFault) {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw KeyFault(.secretNotText) }
    let sections = INISections(text).sections.filter { $0.title == name }
    guard !sections.isEmpty else { throw KeyFault(.hasNoProfile(profile: name)) }
    let values = sections.reduce(into: [String: String]()) { $0.merge($1.values) { _, last in last } }
    try self.init(in: values, Self.profileNames) { key, why in
      KeyFault(
        why.map { .profileHasUnfitKey(name: key, profile: name, why: $0) }
          ?? .profileHasNoKey(name: key, profile: name))
    }
  }
}
