import FoundationEssentials

/// Removes the secrets of a request from its answer, before any of it is cut, stored or shown: a server may repeat the headers
/// that it received.
public struct SecretMask: Sendable {
  /// The text that replaces a secret.
  private static let replacement = Array("[secret]".utf8)
  /// The minimum length of a secret in bytes. A shorter text is not secret, and would occur within other words.
  private static let shortest = 4
  /// The minimum length of a secret in base64, without the characters at both ends that depend on the neighbouring bytes.
  private static let shortestBase64 = 8

  /// The texts to search for, longest first, because one may be the beginning of another.
  private let texts: [[UInt8]]
  /// For each byte, true if a text may begin with it.
  private let starts: [Bool]

  /// Takes the values as they were sent. If a value has a scheme (`Basic …`), the part after it is a secret too; for `Basic`, so
  /// is the user's password (RFC 7617).
  public init(_ secrets: [String]) {
    var texts: Set<[UInt8]> = []
    for secret in secrets.flatMap(Self.secrets(in:)) {
      let bytes = Array(secret.utf8)
      guard bytes.count >= Self.shortest else { continue }
      texts.insert(bytes)
      for shift in 0..<3 {
        let coded = Self.base64(bytes, shift)
        guard coded.count >= Self.shortestBase64 else { continue }
        texts.insert(coded)
        texts.insert(coded.map(Self.forURLs))
      }
    }
    self.texts = texts.sorted { $0.count > $1.count }
    var starts = [Bool](repeating: false, count: texts.isEmpty ? 0 : 256)
    for text in texts { starts[Int(text[0])] = true }
    if !texts.isEmpty { for byte in EscapedByte.starts { starts[Int(byte)] = true } }
    self.starts = starts
  }

  /// A mask without secrets.
  public static let none = SecretMask([])

  /// Returns the values of configured headers whose names suggest a secret, e.g. `X-Api-Key`.
  public static func secrets(of headers: [String: String]) -> [String] {
    headers.filter { name, _ in
      let name = name.lowercased()
      return ["key", "token", "secret", "password", "cookie", "authorization"].contains { name.hasSuffix($0) }
    }.map(\.value)
  }

  /// Returns a text without the secrets.
  public func hiding(in text: String) -> String {
    texts.isEmpty ? text : String(decoding: hiding(in: Array(text.utf8)), as: UTF8.self)
  }

  /// Returns the body of an answer without the secrets, and without the beginning of one at a truncated end.
  public func hiding(in response: HTTPResponse) -> [UInt8] { hiding(in: response.body, isCut: response.bodyTruncated) }

  /// Returns bytes without the secrets, which may be plain or escaped as in JSON, URLs or XML.
  /// - Parameter isCut: true if the bytes go on where they end, perhaps in the midst of a secret.
  func hiding(in bytes: [UInt8], isCut: Bool = false) -> [UInt8] {
    guard !texts.isEmpty, !bytes.isEmpty else { return bytes }
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var position = 0
    while position < bytes.count {
      if starts[Int(bytes[position])], let end = end(in: bytes, at: position, isCut) {
        out += Self.replacement
        position = end
      } else {
        out.append(bytes[position])
        position += 1
      }
    }
    return out
  }

  /// Returns the end of a secret that begins at `start`; nil if none does.
  private func end(in bytes: [UInt8], at start: Int, _ isCut: Bool) -> Int? {
    for text in texts {
      let end =
        end(of: text, in: bytes, at: start, isCut) { bytes[$0] == $1 ? $0 + 1 : nil }
        ?? end(of: text, in: bytes, at: start, isCut) { EscapedByte.end(of: $1, in: bytes, at: $0) }
      if let end { return end }
    }
    return nil
  }

  private func end(
    of text: [UInt8], in bytes: [UInt8], at start: Int, _ isCut: Bool, next: (Int, UInt8) -> Int?
  ) -> Int? {
    var position = start
    for (index, byte) in text.enumerated() {
      if position >= bytes.count { return isCut && index >= Self.shortest ? bytes.count : nil }
      guard let after = next(position, byte) else {
        let isHalfAnEscape = isCut && index >= Self.shortest && EscapedByte.isHalf(bytes[position...])
        return isHalfAnEscape ? bytes.count : nil
      }
      position = after
    }
    return position
  }

  /// The secrets within a value.
  private static func secrets(in value: String) -> [String] {
    let words = value.split(separator: " ")
    guard words.count > 1 else { return [value] }
    guard words[0].lowercased() == "basic", let data = Data(base64Encoded: String(words[1])),
      let pair = String(bytes: data, encoding: .utf8)
    else { return [value] + words.dropFirst().map(String.init) }
    return [value, String(words[1]), pair] + pair.split(separator: ":", maxSplits: 1).dropFirst().map(String.init)
  }

  /// Base64 for URLs (RFC 4648, section 5).
  private static func forURLs(_ character: UInt8) -> UInt8 {
    switch character {
    case UInt8(ascii: "+"): UInt8(ascii: "-")
    case UInt8(ascii: "/"): UInt8(ascii: "_")
    default: character
    }
  }

  /// The base64 characters of these bytes that do not depend on the bytes before and after, when `shift` other bytes come first.
  private static func base64(_ bytes: [UInt8], _ shift: Int) -> [UInt8] {
    let text = Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString()
    return Array(text.utf8.prefix((shift + bytes.count) * 8 / 6).dropFirst((shift * 8 + 5) / 6))
  }
}
