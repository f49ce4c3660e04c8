import OpenSSL

enum ObjectName {
  /// The maximum length of a name in file systems, less the room that the record's name needs.
  private static let limit = 240

  /// A key's file name: percent-encoded, `/` too, and never one that begins with a dot.
  ///
  /// Two keys never share a name: a name that is too long for a file system ends in the SHA-256 of the key.
  static func file(for key: String) -> String {
    var name = PercentEncoding.encode(key.utf8)
    if name.hasPrefix(".") { name = "%2E" + name.dropFirst() }
    guard name.utf8.count > limit else { return name }
    // A "%" that is not followed by two hex digits marks a shortened name; no encoded key has one.
    return String(name.prefix(limit - 66)) + "%~" + PercentEncoding.hex(SHA256.hash(data: Array(key.utf8)))
  }

  /// The record's name: it begins with a dot, unlike the name of any object.
  static func record(for file: String) -> String { "." + file + ".json" }
}
