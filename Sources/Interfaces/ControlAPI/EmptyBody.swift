/// The body of a call that takes no members: nothing, or `{}`.
public enum EmptyBody {
  private struct Members: Decodable {}

  /// Checks a body.
  ///
  /// - Throws: ``InvalidRequest`` that names a member.
  public static func check(_ bytes: [UInt8]) throws(InvalidRequest) {
    if !bytes.isEmpty { _ = try BodyReader.read(Members.self, from: bytes, members: []) }
  }
}
