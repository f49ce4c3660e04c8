import Jobs
import Messages

/// The value of a credential.
enum CredentialValue: Hashable, Sendable {
  /// The keys of a storage, all together.
  case keys(SigningKey)
  /// A key, token or secret by itself.
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

  init(_ keys: SigningKey, expires: Timestamp? = nil) { self.init(.keys(keys), expires: expires) }

  /// Creates keys from the values of an answer; `place` is named in the error.
  init(
    accessKey: String?, secretKey: String?, token: String?, expiration: String?, from place: String
  ) throws(KeyFault) {
    var end: Timestamp?
    if let expiration, !expiration.isEmpty {
      guard let time = Timestamp(rfc3339: expiration) else {
        throw KeyFault("\(place) gave an Expiration that is not a time")
      }
      end = time
    }
    self.init(
      try SigningKey(
        (accessKey, secretKey, token), names: ("AccessKeyId", "SecretAccessKey", "session token")
      ) { name, _ in KeyFault("\(place) gave no valid \(name)") }, expires: end)
  }
}

/// Keys in JSON, in the form of containers, instances and programs, which differ only in the name of the token.
struct KeysInJSON {
  let version: Int64?
  let code: String?
  let message: String?
  let accessKey: String?
  private let secretKey: String?
  private let token: String?
  private let expiration: String?

  /// Reads the keys; nil if the bytes are not such an object.
  init?(_ bytes: [UInt8]) {
    do throws(JSONFault) {
      var object = try JSONReader.object(bytes)
      version = try object.optional("Version")?.integer()
      code = try object.optional("Code")?.text()
      message = try object.optional("Message")?.text()
      accessKey = try object.optional("AccessKeyId")?.text()
      secretKey = try object.optional("SecretAccessKey")?.text()
      token = try (object.optional("Token") ?? object.optional("SessionToken"))?.text()
      expiration = try object.optional("Expiration")?.text()
    } catch {
      return nil
    }
  }

  func keys(from place: String) throws(KeyFault) -> FetchedCredential {
    try FetchedCredential(
      accessKey: accessKey, secretKey: secretKey, token: token, expiration: expiration, from: place)
  }
}
