/// An error: a request cannot be accepted as it is. The words say what is accepted. The answer has status 400.
public struct InvalidRequest: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fault, for the person who wrote the request.
  public var detail: String

  /// Creates an error from its words.
  public init(_ detail: String) { self.detail = detail }

  /// The words.
  public var description: String { detail }
}

extension InvalidRequest {
  /// Creates an error from a decoding error, in words that name the member.
  init(_ error: DecodingError) {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      self.init("\(Self.name(context.codingPath)) has the wrong type: \(context.debugDescription)")
    case .keyNotFound(let key, _):
      self.init("\(key.stringValue) is missing")
    case .dataCorrupted(let context) where context.codingPath.isEmpty:
      self.init("The body is not JSON, or a number in it is not whole or too large")
    case .dataCorrupted(let context):
      self.init("\(Self.name(context.codingPath)) cannot be read: \(context.debugDescription)")
    @unknown default:
      self.init("The body cannot be read")
    }
  }

  private static func name(_ path: [any CodingKey]) -> String {
    path.isEmpty ? "The body" : path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  }
}
