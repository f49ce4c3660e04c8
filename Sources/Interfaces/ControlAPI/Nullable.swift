/// A member of a message that is null if there is no value. An optional without it is left out then. Where the member itself is
/// missing, it is read as null.
@propertyWrapper public struct Nullable<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
  /// The value; nil for null.
  public var wrappedValue: Value?

  /// Creates a member with a value.
  public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  /// Reads a value or null.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue = try container.decodeNil() ? nil : container.decode(Value.self)
  }

  /// Writes the value or null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
  }
}

extension KeyedDecodingContainer {
  /// Reads a member that may be missing. It is what the compiler calls for a member that is ``Nullable``.
  func decode<Value>(_ type: Nullable<Value>.Type, forKey key: Key) throws -> Nullable<Value> {
    Nullable(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }
}
