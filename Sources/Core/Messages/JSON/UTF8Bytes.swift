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

  /// Returns true if the bytes of another text are among those of this one. `contains` compares characters, and looks up how they are
  /// composed.
  public func containsBytes(of other: String) -> Bool {
    let (view, wanted) = (utf8, other.utf8)
    let (bytes, wantedBytes) = (view.span, wanted.span)
    guard wantedBytes.count <= bytes.count else { return false }
    for start in 0...(bytes.count - wantedBytes.count) {
      var count = 0
      while count < wantedBytes.count, bytes[start + count] == wantedBytes[count] { count += 1 }
      if count == wantedBytes.count { return true }
    }
    return false
  }
}
