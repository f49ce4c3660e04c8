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
    for index in indices where self[index].asciiLowercased != other[index].asciiLowercased { return false }
    return true
  }
}

extension UInt8 {
  /// The letter in lower case, if it is a capital letter of ASCII; the same byte otherwise.
  var asciiLowercased: UInt8 { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self }
}
