/// The keys of one profile in the shared credentials file of the AWS command line ("Configuration and credential file
/// settings in the AWS CLI" in its user guide). They belong together, and are read in one piece.
public struct AWSProfile: Hashable, Sendable {
  /// The id of the key (`aws_access_key_id`).
  public let accessKey: Secret
  /// Its secret (`aws_secret_access_key`).
  public let secretKey: Secret
  /// The token of a session, for keys that belong to one (`aws_session_token`).
  public let sessionToken: Secret?

  package init(accessKey: Secret, secretKey: Secret, sessionToken: Secret?) {
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.sessionToken = sessionToken
  }

  /// The reason why a profile cannot be read, as a predicate of the file.
  package struct Fault: Error, Equatable {
    package let words: String
  }

  /// Finds a profile in the bytes of a credentials file.
  package init(_ name: String, in bytes: [UInt8]) throws(Fault) {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Fault(words: "is not UTF-8 text") }
    let sections = INISections(text).sections.filter { $0.title == name }
    guard !sections.isEmpty else { throw Fault(words: "has no profile [\(name)]") }
    let values = sections.reduce(into: [String: String]()) { $0.merge($1.values) { _, last in last } }
    func secret(_ key: String) throws(Fault) -> Secret? {
      guard let value = values[key] else { return nil }
      do throws(Secret.Fault) {
        return try Secret(Array(value.utf8))
      } catch {
        throw Fault(words: "has a \(key) in the profile [\(name)] that \(error.words)")
      }
    }
    func required(_ key: String) throws(Fault) -> Secret {
      guard let value = try secret(key) else { throw Fault(words: "has no \(key) in the profile [\(name)]") }
      return value
    }
    accessKey = try required("aws_access_key_id")
    secretKey = try required("aws_secret_access_key")
    sessionToken = try secret("aws_session_token")
  }
}
