import Glibc

/// Texts in another encoding than UTF-8, which the `charset` of their `Content-Type` names (RFC 9110, section 8.3.2).
enum Charset {
  /// Returns a body in UTF-8. It stays as it is if it is in UTF-8 already, whatever its type says, or if iconv(3) does not know the name.
  static func utf8(_ body: [UInt8], _ headers: HTTPHeaders) -> [UInt8] {
    guard !body.isEmpty, let type = headers[first: "Content-Type"], let name = name(in: type) else { return body }
    // Encodings of two bytes, and those that shift, have NUL or ESC.
    let isShifted = body.contains { $0 == 0 || $0 == 0x1B }
    guard isShifted || String(validating: body, as: UTF8.self) == nil else { return body }
    return converted(body, from: name) ?? body
  }

  /// Returns the name of an encoding other than UTF-8; nil if there is none.
  private static func name(in type: String) -> String? {
    for parameter in type.lowercased().split(separator: ";").dropFirst() {
      let text = parameter.filter { !$0.isWhitespace && $0 != "\"" }
      guard text.hasPrefix("charset=") else { continue }
      let name = text.dropFirst("charset=".count)
      let isName =
        name.utf8.count <= 40 && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.:".contains($0)) }
      return isName && !name.isEmpty && name != "utf-8" && name != "utf8" ? String(name) : nil
    }
    return nil
  }

  /// Returns a text in UTF-8, with U+FFFD for each byte that does not belong to its encoding. A character that is cut off at the end is left
  /// out.
  private static func converted(_ text: [UInt8], from name: String) -> [UInt8]? {
    guard let converter = unsafe iconv_open("UTF-8", name), UInt(bitPattern: converter) != .max else {
      return nil
    }
    defer { _ = unsafe iconv_close(converter) }
    var text = text
    // No character of an encoding has more bytes in UTF-8 than four for each of its own.
    var out = [UInt8](repeating: 0, count: text.count * 4)
    let count = unsafe text.withUnsafeMutableBytes { text in
      unsafe out.withUnsafeMutableBytes { out in
        var (from, left) = unsafe (text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count)
        var (to, room) = unsafe (out.baseAddress?.assumingMemoryBound(to: CChar.self), out.count)
        while left > 0, unsafe iconv(converter, &from, &left, &to, &room) == -1, errno == EILSEQ, room >= 3, left > 0 {
          for unit in "\u{FFFD}".utf8 {
            unsafe to?.pointee = CChar(bitPattern: unit)
            unsafe to = to?.successor()
          }
          room -= 3
          unsafe from = from?.successor()
          left -= 1
        }
        return out.count - room
      }
    }
    return Array(out.prefix(count))
  }
}
