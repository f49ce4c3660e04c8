/// A value for a parameter of a statement.
public protocol Bindable {
  /// Binds the value to the statement's next parameter.
  func bind(to statement: inout Binding)
}

extension Int64: Bindable {
  /// Binds the integer.
  public func bind(to statement: inout Binding) { statement.add(self) }
}

extension Int: Bindable {
  /// Binds the integer.
  public func bind(to statement: inout Binding) { statement.add(self) }
}

extension Bool: Bindable {
  /// Binds 1 or 0.
  public func bind(to statement: inout Binding) { statement.add(self) }
}

extension String: Bindable {
  /// Binds the text.
  public func bind(to statement: inout Binding) { statement.add(self) }
}

extension [UInt8]: Bindable {
  /// Binds the bytes.
  public func bind(to statement: inout Binding) { statement.add(self) }
}
