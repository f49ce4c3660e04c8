/// The user at the other end of the control socket, who asked for a change.
public struct Caller: Hashable, Sendable {
  /// The user id that the kernel vouches for (SO_PEERCRED).
  public var uid: UInt32
  /// The user's name, or the id in digits if there is none.
  public var user: String

  package init(uid: UInt32, user: String) {
    self.uid = uid
    self.user = user
  }
}
