import FoundationEssentials

/// Base64 (RFC 4648, section 4), for names that are not text.
enum Base64 {
  static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
