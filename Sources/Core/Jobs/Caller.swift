/// The user at the other end of the control socket, who asked for a change.
public struct Caller: Hashable, Sendable {
  /// The user id that the kernel vouches for (SO_PEERCRED).
  public var uid: UInt32
  /// The user's name, or the id in digits if there is none.
  public var user: String

  /// Creates a caller with id and name.
  public init(uid: UInt32, user: String) {
    self.uid = uid
    self.user = user
  }
}

/// A person's request to cancel, with the user and the reason.
public struct Cancellation: Hashable, Sendable {
  /// The user who cancelled.
  public var by: Caller
  /// The reason, in the operator's words.
  public var reason: String?
  /// True if the object is to be deleted too.
  public var remove: Bool

  /// Creates a cancellation by a caller.
  public init(by: Caller, reason: String? = nil, remove: Bool = false) {
    self.by = by
    self.reason = reason
    self.remove = remove
  }
}
