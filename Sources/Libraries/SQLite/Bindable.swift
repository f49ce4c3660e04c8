/// A value that a statement's parameter can have.
public protocol Bindable {
  /// Gives the value to the statement's next parameter.
  func bind(to statement: inout Binding)
}

extension Int64: Bindable {
  /// Gives the whole number.
  public func bind(to statement: inout Binding) { statement.add(self) }
}

extension Int: Bindable {
  /// Gives the whole number.
  public func bind(to statement: inout Binding) { statement.add(self) }
}

extension Bool: Bindable {
  /// Gives 1 or 0.
  public func bind(to statement: inout Binding) { statement.add(self) }
}

extension String: Bindable {
  /// Gives the text.
  public func bind(to statement: inout Binding) { statement.add(self) }
}

extension [UInt8]: Bindable {
  /// Gives the bytes.
  public func bind(to statement: inout Binding) { statement.add(self) }
}
