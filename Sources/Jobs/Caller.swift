/// Who asked for a change: the user at the other end of the control socket.
public struct Caller: Hashable, Sendable {
  /// The user id that the kernel vouches for (SO_PEERCRED).
  public var uid: UInt32
  /// The user's name, or the id in digits where there is none.
  public var user: String

  /// A caller with id and name.
  public init(uid: UInt32, user: String) {
    self.uid = uid
    self.user = user
  }
}

/// The operator's no, with who said it and why.
public struct Cancellation: Hashable, Sendable {
  /// Who cancelled.
  public var by: Caller
  /// Why, in the operator's words.
  public var reason: String?
  /// Whether the object is to be deleted too.
  public var remove: Bool

  /// A cancellation by a caller.
  public init(by: Caller, reason: String? = nil, remove: Bool = false) {
    self.by = by
    self.reason = reason
    self.remove = remove
  }
}
