import Messages

/// Percent-encoding as signatures need it: all but RFC 3986's unreserved characters, in upper-case hex digits.
///
/// See "Signature Version 4: create a canonical request", `UriEncode`, in the S3 API reference.
public enum PercentEncoding {
  /// Encodes an object's key for the path of a URL; `/` separates segments and stays.
  public static func path(_ key: String) -> String { component(key, keepingSlash: true) }

  /// Encodes a name or value of a query, or one segment of a path.
  public static func component(_ text: String, keepingSlash: Bool = false) -> String {
    var out: [UInt8] = []
    append(text, keepingSlash: keepingSlash, to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  /// Decodes text of a listing with `encoding-type=url`, in which AWS writes a blank as `+`.
  public static func decoded(_ text: String) -> String {
    var out: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2).compactMap(Hex.value)
      if byte == UInt8(ascii: "%"), digits.count == 2 {
        out.append(digits[0] << 4 | digits[1])
        rest = rest.dropFirst(2)
      } else {
        out.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Appends one segment of a path, or a name or value of a query; an object's key, if slashes stay.
  public static func append(_ text: String, keepingSlash: Bool, to out: inout [UInt8]) {
    func isKept(_ byte: UInt8) -> Bool { isUnreserved(byte) || (keepingSlash && byte == UInt8(ascii: "/")) }
    if text.hasOnlyBytes(isKept) { return out += text.utf8 }
    for byte in text.utf8 {
      if isKept(byte) { out.append(byte) } else { append(byte, to: &out) }
    }
  }

  /// Appends `%HH`.
  public static func append(_ byte: UInt8, to out: inout [UInt8]) {
    let digit = { (value: UInt8) in value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10 }
    out += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0xF)]
  }

  /// RFC 3986, section 2.3.
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
