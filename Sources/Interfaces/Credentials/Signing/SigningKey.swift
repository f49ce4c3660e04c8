public import HTTPTransfer

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

/// Keys from texts: those of a profile in the shared credentials file of the AWS command line ("Configuration and credential file
/// settings in the AWS CLI" in its user guide), and those that were fetched. They belong together, and are read in one piece.
extension SigningKey {
  /// Creates keys from texts. An empty token is none.
  ///
  /// - Parameters:
  ///   - names: the names of the texts, for an error.
  ///   - fault: returns the error for a text that is missing, or that is not fit because of this fault.
  init(
    _ texts: (String?, String?, String?), names: (String, String, String),
    fault: (_ name: String, Secret.Fault?) -> KeyFault
  ) throws(KeyFault) {
    func secret(_ text: String?, _ name: String) throws(KeyFault) -> String {
      guard let text else { throw fault(name, nil) }
      do throws(Secret.Fault) {
        return try Secret(Array(text.utf8)).text
      } catch {
        throw fault(name, error)
      }
    }
    self.init(
      accessKey: try secret(texts.0, names.0), secret: try secret(texts.1, names.1),
      sessionToken: texts.2?.isEmpty == false ? try secret(texts.2, names.2) : nil)
  }

  /// Finds a profile in the bytes of a credentials file. The words of a fault are a predicate of the file.
  package init(_ name: String, in bytes: [UInt8]) throws(KeyFault) {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw KeyFault("is not UTF-8 text") }
    let sections = INISections(text).sections.filter { $0.title == name }
    guard !sections.isEmpty else { throw KeyFault("has no profile [\(name)]") }
    let values = sections.reduce(into: [String: String]()) { $0.merge($1.values) { _, last in last } }
    let names = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
    try self.init((values[names.0], values[names.1], values[names.2]), names: names) { key, fault in
      let place = "\(key) in the profile [\(name)]"
      return KeyFault(fault.map { "has a \(place) that \($0.words)" } ?? "has no \(place)")
    }
  }
}
