extension String {
  /// Returns true if the predicate holds for all bytes of the text's UTF-8. `utf8.allSatisfy` accesses the string again for each
  /// byte, which costs ten times as much.
  @inlinable
  public func hasOnlyBytes(_ isSuch: (UInt8) -> Bool) -> Bool {
    let view = utf8
    let bytes = view.span
    for index in bytes.indices where !isSuch(bytes[index]) { return false }
    return true
  }
}
