import FoundationEssentials

/// A key of 256 bits as a file holds it: 32 bytes, or their base64 (RFC 4648, section 4) on one line.
enum Key256 {
  private static let count = 32

  /// Returns the key's bytes; nil for anything else. A line end after either form, as an editor adds it, is ignored.
  static func bytes(_ raw: [UInt8]) -> [UInt8]? {
    if raw.count == count { return raw }
    var line = raw[...]
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if line.count == count { return Array(line) }
    guard line.count == 44, let key = Data(base64Encoded: String(decoding: line, as: UTF8.self)), key.count == count
    else { return nil }
    return Array(key)
  }
}
