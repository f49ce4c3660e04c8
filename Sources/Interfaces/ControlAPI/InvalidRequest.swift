/// An error: a request cannot be accepted as it is. The words say what is accepted. The answer has status 400.
public struct InvalidRequest: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fault, for the person who wrote the request.
  public var detail: String

  /// Creates an error from its words.
  public init(_ detail: String) { self.detail = detail }

  /// The words.
  public var description: String { detail }
}
