/// A header field of a request or an answer.
public struct HTTPHeader: Hashable, Sendable {
  /// The name as it is sent or was received; names are compared without regard to case (RFC 9110, 5.1).
  public var name: String
  /// The value without white space at its ends.
  public var value: String

  /// A header with a name and a value. Invalid ones are refused when the request is sent.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Returns true if the header has this name, without regard to case.
  public func isNamed(_ other: String) -> Bool { name == other || name.utf8.span.isNamed(other.utf8.span) }
}

extension Span<UInt8> {
  /// Returns true if two names differ at most in case.
  func isNamed(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where Self.lowercased(self[index]) != Self.lowercased(other[index]) { return false }
    return true
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}
