import Jobs

/// A path for an error text, which is built only when it is needed. Control characters and bytes that are not UTF-8 are escaped.
struct PathText {
  private let directory: String
  private let name: [UInt8]

  /// The path of a name in a directory.
  init(_ directory: String, _ name: [UInt8]) {
    self.directory = directory
    self.name = name
  }

  var text: String {
    guard !name.isEmpty else { return directory }
    return (directory == "/" ? "/" : directory + "/") + DisplayText.escape(name)
  }
}

/// Passes a name to C: its bytes, followed by a NUL.
func withName<Result>(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: name.count + 1) { buffer in
    for (index, byte) in name.enumerated() { unsafe buffer[index] = CChar(truncatingIfNeeded: byte) }
    unsafe buffer[name.count] = 0
    guard let start = buffer.baseAddress else { preconditionFailure("an allocation of at least one byte") }
    return unsafe body(start)
  }
}
