/// The keys of one profile in the shared credentials file of the AWS command line ("Configuration and credential file
/// settings in the AWS CLI" in its user guide). They belong together, and are read in one piece.
public struct AWSProfile: Hashable, Sendable {
  /// The id of the key (`aws_access_key_id`).
  public let accessKey: Secret
  /// Its secret (`aws_secret_access_key`).
  public let secretKey: Secret
  /// The token of a session, for keys that belong to one (`aws_session_token`).
  public let sessionToken: Secret?
}

extension AWSProfile {
  /// Creates keys from texts. An empty token is none.
  ///
  /// - Parameters:
  ///   - names: the names of the texts, for an error.
  ///   - fault: returns the error for a text that is missing, or that is not fit because of this fault.
  init(
    _ texts: (String?, String?, String?), names: (String, String, String),
    fault: (_ name: String, Secret.Fault?) -> KeyFault
  ) throws(KeyFault) {
    func secret(_ text: String?, _ name: String) throws(KeyFault) -> Secret {
      guard let text else { throw fault(name, nil) }
      do throws(Secret.Fault) {
        return try Secret(Array(text.utf8))
      } catch {
        throw fault(name, error)
      }
    }
    accessKey = try secret(texts.0, names.0)
    secretKey = try secret(texts.1, names.1)
    sessionToken = texts.2?.isEmpty == false ? try secret(texts.2, names.2) : nil
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
