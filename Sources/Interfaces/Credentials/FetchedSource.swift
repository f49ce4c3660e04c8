public import Jobs

/// A key or token that is fetched, and renewed before it expires.
public protocol FetchedSource: AnyObject, Sendable {
  /// Returns the present value without waiting. It begins a renewal if one is due.
  /// - Throws: ``CredentialError`` if there is no value that is still valid.
  func present() throws(CredentialError) -> FetchedValue

  /// The time from which on the present value is refused; nil if it does not expire, or if there is none.
  var expires: Timestamp? { get }

  /// Waits for the renewal in progress, if there is no usable value; begins one if none failed a moment ago.
  func untilUsable() async

  /// Renews the value before its time, because it was refused; at most once in a while.
  func renewSoon()

  /// Waits for a value other than the one that was refused. Callers that were refused together wait for one renewal.
  /// - Returns: false if there is no other value, because it cannot be fetched, or because new values were just refused too.
  func replace(_ refused: Secret) async -> Bool
}

/// A value that was fetched.
public enum FetchedValue: Hashable, Sendable {
  /// The keys of a storage, all together.
  case keys(AWSProfile)
  /// A token.
  case token(Secret)

  /// The value by which it is compared: the access key's id, or the token.
  public var secret: Secret {
    switch self {
    case .keys(let profile): profile.accessKey
    case .token(let token): token
    }
  }
}
