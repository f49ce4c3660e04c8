/// A key or token that is fetched from somewhere, and renewed before it expires.
public protocol FetchedSource: AnyObject, Sendable {
  /// Returns the value as it is known now, and waits for nothing. It begins a renewal where one is due.
  /// - Throws: ``CredentialError`` if there is none that has not expired.
  func present() throws(CredentialError) -> FetchedValue

  /// Waits for the renewal under way, if there is no usable value; begins one if none failed a moment ago.
  func untilUsable() async

  /// Has the value renewed although it is good for longer: somebody refused it. Not more often than now and then.
  func renewSoon()

  /// Waits for a value other than the one that was refused. Many who were refused together wait for one renewal.
  /// - Returns: false if there is no other one, because it cannot be had, or because others were just refused too.
  func replace(_ refused: Secret) async -> Bool
}

/// A value that is fetched.
public enum FetchedValue: Hashable, Sendable {
  /// The keys of a storage, all together.
  case keys(AWSProfile)
  /// A token.
  case token(Secret)

  /// The value that stands for it where it is compared: the access key's id, or the token.
  public var secret: Secret {
    switch self {
    case .keys(let profile): profile.accessKey
    case .token(let token): token
    }
  }
}
