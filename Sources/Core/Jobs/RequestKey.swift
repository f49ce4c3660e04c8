/// The key of a caller's request, so that the request takes effect once however often it is sent: the caller's user id and the
/// header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
public struct RequestKey: Hashable, Sendable {
  /// The longest key in bytes.
  public static let longest = 128

  /// The user id of the caller: two users never share a key.
  public var uid: UInt32
  /// The key.
  public var text: String

  /// Creates a key of a user.
  public init(uid: UInt32, text: String) {
    self.uid = uid
    self.text = text
  }
}

/// The record of an earlier request with the same key.
public enum EarlierRequest: Hashable, Sendable {
  /// There is none: the request is new, and is recorded.
  case none
  /// Its answer.
  case answered(RequestAnswer)
  /// It was another request: another path or another body.
  case another
  /// It began and has no answer: it is under way, or the daemon ended before it was answered.
  case open
}

/// An answer as it is recorded.
public struct RequestAnswer: Hashable, Sendable {
  /// The HTTP status.
  public var status: Int
  /// The body, in JSON.
  public var body: [UInt8]

  /// Creates an answer.
  public init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}
