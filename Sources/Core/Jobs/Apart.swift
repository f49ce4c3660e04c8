/// A value that most of its owners do not have, in memory of its own: whoever copies the owner copies one reference.
@propertyWrapper
public struct Apart<Value: Hashable & Sendable>: Hashable, Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box?

  /// The value, if there is one.
  public var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map(Box.init) }
  }

  /// No value.
  public init() {}

  /// Wraps a value, or none.
  public init(wrappedValue: Value?) { box = wrappedValue.map(Box.init) }

  /// True if the values are the same.
  public static func == (a: Apart, b: Apart) -> Bool { a.box === b.box || a.wrappedValue == b.wrappedValue }

  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}
