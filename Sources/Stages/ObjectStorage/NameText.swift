import Jobs

/// The text for a file's name in a key. Different names have different texts.
///
/// A name in UTF-8 is its own text. In any other name, each byte that is not part of well-formed UTF-8 is written as `%HH`, and
/// each `%` as `%25`: the name is escaped. A name in UTF-8 that equals the text of another name is escaped too. So `M\xFCller`
/// becomes `M%FCller`, `M%FCller` becomes `M%25FCller`, and `50%`, `a%20b` and `Gr%C3%BC%C3%9Fe` stay as they are.
///
/// Escaping can be undone, and a name that looks like the text of an escaped name is escaped itself. So the texts differ.
package enum NameText {
  static func append(_ name: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    if isEscaped(name) { escape(name, to: &bytes) } else { bytes += name }
  }

  /// Appends the text of a path. Each of its names is treated alone, so that a directory has the same text in all paths.
  package static func append(path: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    if path.span.isUTF8, !path.contains(percent) { return bytes += path }
    var isFirst = true
    for name in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      if !isFirst { bytes.append(UInt8(ascii: "/")) }
      append(name, to: &bytes)
      isFirst = false
    }
  }

  private static let percent = UInt8(ascii: "%")

  private static func isEscaped(_ name: ArraySlice<UInt8>) -> Bool {
    var name = name
    while name.span.isUTF8 {
      guard let shorter = unescaped(name) else { return false }
      name = shorter
    }
    return true
  }

  private static func escape(_ name: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    var rest = name
    while let byte = rest.first {
      var iterator = rest.makeIterator()
      var decoder = UTF8()
      if byte != percent, case .scalarValue(let scalar) = decoder.decode(&iterator) {
        let width = UTF8.width(scalar)
        bytes += rest.prefix(width)
        rest = rest.dropFirst(width)
      } else {
        PercentEncoding.append(byte, to: &bytes)
        rest = rest.dropFirst()
      }
    }
  }

  /// Returns the name whose escaped form this text is; nil if there is none.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard text.contains(percent) else { return nil }
    var name: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == percent else {
        name.append(byte)
        continue
      }
      let digits = rest.prefix(2).compactMap(Hex.value)
      guard digits.count == 2 else { return nil }
      name.append(digits[0] << 4 | digits[1])
      rest = rest.dropFirst(2)
    }
    var escaped: [UInt8] = []
    escape(name[...], to: &escaped)
    return escaped[...] == text ? name[...] : nil
  }
}
