extension String {
  /// Makes a text of bytes that are all ASCII, without memory for them beside its own.
  init(ascii bytes: Span<UInt8>) {
    do {
      self.init(copying: try UTF8Span(validating: bytes))
    } catch {
      preconditionFailure("bytes that are not ASCII")
    }
  }
}
