/// The body of a call that takes no members: nothing, or `{}`.
public enum EmptyBody {
  /// Checks a body.
  ///
  /// - Throws: ``InvalidRequest`` that names a member.
  public static func check(_ bytes: [UInt8]) throws(InvalidRequest) {
    if !bytes.isEmpty { _ = try BodyMembers(bytes, known: []) }
  }
}
