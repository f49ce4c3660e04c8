/// A header field of a request or an answer.
public struct HTTPHeader: Hashable, Sendable {
  /// The name as it is sent or came; names are compared without regard to case (RFC 9110, 5.1).
  public var name: String
  /// The value without the white space around it.
  public var value: String

  /// A header with a name and a value; what may not be sent is refused when the request is.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Returns true if the header has this name. The case of letters does not matter.
  public func isNamed(_ other: String) -> Bool {
    guard name.utf8.count == other.utf8.count else { return false }
    return name == other || zip(name.utf8, other.utf8).allSatisfy { Self.lowercased($0) == Self.lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}

/// The header fields of an answer, in the order they came.
public struct HTTPHeaders: Hashable, Sendable {
  /// All fields; a name may stand more than once.
  public let all: [HTTPHeader]

  /// The fields in this order.
  public init(_ all: [HTTPHeader]) { self.all = all }

  /// The value of the first field with this name, whatever the case of its letters.
  public subscript(first name: String) -> String? { all.first { $0.isNamed(name) }?.value }
}
