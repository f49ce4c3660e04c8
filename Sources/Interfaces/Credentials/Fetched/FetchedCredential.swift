import Jobs
import Messages

enum CredentialValue: Hashable, Sendable {
  case keys(SigningKey)
  case secret(Secret)

  /// The secret; of keys that belong together, the access key's id.
  var secret: Secret {
    switch self {
    case .keys(let keys): Secret(checked: keys.accessKey)
    case .secret(let secret): secret
    }
  }
}

/// Keys or a token from a source, with the time at which they expire.
struct FetchedCredential: Hashable, Sendable {
  let value: CredentialValue
  /// The time from which on it is refused; nil if it does not expire.
  let expires: Timestamp?

  init(_ value: CredentialValue, expires: Timestamp? = nil) {
    self.value = value
    self.expires = expires
  }

  /// Creates keys from the values of an answer by their names, as STS has them; `place` is named in the error.
  init(_ values: [String: String], from place: Message) throws(KeyFault) {
    var end: Timestamp?
    if let expiration = values["Expiration"], !expiration.isEmpty {
      guard let time = Timestamp(rfc3339: expiration) else {
        throw KeyFault(.gaveNoTime(place: place, name: "Expiration"))
      }
      end = time
    }
    self.init(
      .keys(
        try SigningKey(in: values, ("AccessKeyId", "SecretAccessKey", "SessionToken")) { name, _ in
          KeyFault(.gaveNoValid(place: place, name: name))
        }), expires: end)
  }
}

/// Keys in JSON, in the form of containers, instances and programs, which differ only in the name of the token.
struct KeysInJSON {
  let version: Int64?
  let code: String?
  let message: String?
  private var values: [String: String] = [:]

  init?(_ bytes: [UInt8]) {
    do throws(JSONFault) {
      var object = try JSONReader.object(bytes)
      version = try object.optional("Version")?.integer()
      code = try object.optional("Code")?.text()
      message = try object.optional("Message")?.text()
      for name in ["AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"] {
        values[name] = try object.optional(name)?.text()
      }
      if let token = try object.optional("Token")?.text() { values["SessionToken"] = token }
    } catch {
      return nil
    }
  }

  var hasKeys: Bool { values["AccessKeyId"] != nil }

  func keys(from place: Message) throws(KeyFault) -> FetchedCredential { try FetchedCredential(values, from: place) }
}
