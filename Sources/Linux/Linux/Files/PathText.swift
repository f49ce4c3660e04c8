import Glibc

/// A path for an error text. Names may have any bytes; control characters and bytes that are not UTF-8 are escaped.
///
/// The text is built only when it is needed.
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
    return (directory == "/" ? "/" : directory + "/") + Self.escape(name)
  }

  static func escape(_ bytes: [UInt8]) -> String {
    if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      return bytes.reduce(into: "") { out, byte in
        out += byte >= 0x20 && byte < 0x7F ? String(Unicode.Scalar(byte)) : hex(byte)
      }
    }
    return text.unicodeScalars.reduce(into: "") { out, scalar in
      switch scalar.properties.generalCategory {
      case .control where scalar == "\n": out += "\\n"
      case .control where scalar.value < 0x80: out += hex(UInt8(scalar.value))
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        out += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: out.unicodeScalars.append(scalar)
      }
    }
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return (digits.count == 1 ? "\\x0" : "\\x") + digits
  }
}

/// Passes a name to C: its bytes, followed by a NUL.
func withName<Result>(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: name.count + 1) { buffer in
    for (index, byte) in name.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
    unsafe buffer[name.count] = 0
    guard let start = buffer.baseAddress else { preconditionFailure("an allocation of at least one byte") }
    return unsafe body(start)
  }
}
