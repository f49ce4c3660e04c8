/// Keys that are fetched from somewhere, and renewed before they expire.
public protocol FetchedKeys: AnyObject, Sendable {
  /// Returns the keys as they are known now, and waits for nothing. It begins a renewal where one is due.
  /// - Throws: ``CredentialError`` if there are none that have not expired.
  func present() throws(CredentialError) -> AWSProfile

  /// Waits for the renewal under way, if there are no usable keys; begins one if none failed a moment ago.
  func untilUsable() async

  /// Has the keys renewed although they are good for longer: somebody refused them. Not more often than now and then.
  func renewSoon()
}
