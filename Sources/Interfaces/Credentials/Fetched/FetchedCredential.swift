import Jobs
import Messages

/// A value that was fetched.
enum FetchedValue: Hashable, Sendable {
  /// The keys of a storage, all together.
  case keys(AWSProfile)
  /// A token.
  case token(Secret)

  /// The value by which it is compared: the access key's id, or the token.
  var secret: Secret {
    switch self {
    case .keys(let profile): profile.accessKey
    case .token(let token): token
    }
  }
}

/// Keys or a token from a source, with the time at which they expire.
struct FetchedCredential: Hashable, Sendable {
  let value: FetchedValue
  /// The time from which on it is refused; nil if it does not expire.
  let expires: Timestamp?

  init(_ value: FetchedValue, expires: Timestamp? = nil) {
    self.value = value
    self.expires = expires
  }

  init(_ profile: AWSProfile, expires: Timestamp? = nil) { self.init(.keys(profile), expires: expires) }

  /// Creates keys from the values of an answer; `place` is named in the error.
  init(
    accessKey: String?, secretKey: String?, token: String?, expiration: String?, from place: String
  ) throws(FetchFailure) {
    func secret(_ value: String?, _ name: String) throws(FetchFailure) -> Secret {
      guard let value, let secret = Secret(text: value) else {
        throw FetchFailure("\(place) gave no valid \(name)")
      }
      return secret
    }
    var end: Timestamp?
    if let expiration, !expiration.isEmpty {
      guard let time = Timestamp(rfc3339: expiration) else {
        throw FetchFailure("\(place) gave an Expiration that is not a time")
      }
      end = time
    }
    self.init(
      AWSProfile(
        accessKey: try secret(accessKey, "AccessKeyId"), secretKey: try secret(secretKey, "SecretAccessKey"),
        sessionToken: try token.flatMap { $0.isEmpty ? nil : $0 }.map { value throws(FetchFailure) in
          try secret(value, "session token")
        }), expires: end)
  }
}

/// The reason why keys or a token could not be fetched, with its remedy.
struct FetchFailure: Error, Hashable {
  let words: String
  let remedy: String?

  init(_ words: String, remedy: String? = nil) {
    self.words = words
    self.remedy = remedy
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

  func keys(from place: String) throws(FetchFailure) -> FetchedCredential {
    try FetchedCredential(
      accessKey: accessKey, secretKey: secretKey, token: token, expiration: expiration, from: place)
  }
}
