/// A value that most of its owners do not have, in memory of its own: whoever copies the owner copies one reference.
@propertyWrapper
public enum Apart<Value: Hashable & Sendable>: Hashable, Sendable {
  case nothing
  indirect case value(Value)

  /// The value, if there is one.
  public var wrappedValue: Value? {
    get { if case .value(let value) = self { value } else { nil } }
    set { self = Apart(wrappedValue: newValue) }
  }

  /// No value.
  public init() { self = .nothing }

  /// Wraps a value, or none.
  public init(wrappedValue: Value?) { self = wrappedValue.map(Apart.value) ?? .nothing }
}
