import Jobs

/// Escapes any text so that it is safe within one line of a terminal or a log (`DisplayText`).
enum SafeText {
  /// Appends a text, escaped.
  static func append(_ bytes: ArraySlice<UInt8>, to line: inout [UInt8]) {
    if bytes.allSatisfy(isPrintable) {
      line += bytes
    } else {
      line += DisplayText.escape(Array(bytes)).utf8
    }
  }

  /// Appends a value, escaped, and in quotes if a reader could otherwise not see where it ends.
  static func appendQuoted(_ bytes: ArraySlice<UInt8>, to line: inout [UInt8]) {
    let isPlain = !bytes.isEmpty && bytes.allSatisfy(mayStandAlone)
    if isPlain { return append(bytes, to: &line) }
    let quote = UInt8(ascii: "\"")
    line.append(quote)
    for byte in DisplayText.escape(Array(bytes)).utf8 {
      if byte == quote { line.append(UInt8(ascii: "\\")) }
      line.append(byte)
    }
    line.append(quote)
  }

  private static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

  /// Returns true if this byte, within a value, does not require quotes.
  private static func mayStandAlone(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }
}
