public import Jobs

/// The person who acted, in the one form that all messages have.
public struct CallerMessage: Hashable, Sendable, Codable {
  /// The user id that the kernel vouched for; nil if only a name is known, as in the copies that a fleet has.
  @Nullable public var uid: UInt32?
  /// The user's name, or the id in digits.
  public var user: String

  /// Creates the message of a caller.
  public init(_ caller: Caller) {
    self.uid = caller.uid
    self.user = caller.user
  }

  /// Creates the message of a caller of whom only the name is known.
  public init(user: String) {
    self.uid = nil
    self.user = user
  }
}
