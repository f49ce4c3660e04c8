extension FileName {
  /// Creates the name of a file in a directory below a recursive spool, `PATH/NAME`; only the name if the path is empty.
  public init(_ name: FileName, in path: [UInt8]) {
    self = path.isEmpty ? name : FileName(bytes: path + [UInt8(ascii: "/")] + name.bytes)
  }

  /// The name without the path before it.
  public var last: FileName {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return self }
    return FileName(bytes: Array(bytes[(slash + 1)...]))
  }

  /// The path before the name, without a slash at its end; empty if there is none.
  public var path: [UInt8] { bytes.lastIndex(of: UInt8(ascii: "/")).map { Array(bytes[..<$0]) } ?? [] }
}
