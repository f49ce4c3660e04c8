import FoundationEssentials
import Synchronization

/// The secrets that a request carried. They are removed from its answer before anything of that is cut, kept or shown: a server
/// may repeat the headers that it got.
public struct SecretMask: Sendable {
  /// The text in a secret's place.
  private static let mark = Array("[secret]".utf8)
  /// The least length of a secret in bytes: a shorter text is no secret, and occurs in other words.
  private static let shortest = 4
  /// The least length of a secret in base64, of which the characters at both ends depend on what stands beside it.
  private static let shortestBase64 = 8

  /// The texts to look for, the longest first, because one may be the beginning of another.
  private let texts: [[UInt8]]
  /// True for each byte with which one of them may begin.
  private let starts: [Bool]

  /// Takes the values as they were sent. Of one with a scheme (`Basic …`) the part after it is a secret too, and of `Basic`
  /// the user's password (RFC 7617).
  public init(_ secrets: [String]) {
    var texts: Set<[UInt8]> = []
    for secret in secrets.flatMap(Self.parts) {
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

  /// No secrets.
  public static let none = SecretMask([])

  /// Returns the values of plain headers whose names say that they are secret, e.g. `X-Api-Key` or a customer's encryption key.
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

  /// Returns the body of an answer without the secrets, also without the beginning of one at an end that was cut.
  public func hiding(in response: HTTPResponse) -> [UInt8] { hiding(in: response.body, isCut: response.bodyTruncated) }

  /// Returns bytes without the secrets, as they are or with characters escaped as in JSON, in URLs or in XML.
  ///
  /// - Parameter isCut: true if the bytes go on where they end, perhaps in the midst of a secret.
  public func hiding(in bytes: [UInt8], isCut: Bool = false) -> [UInt8] {
    guard !texts.isEmpty, !bytes.isEmpty else { return bytes }
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      if starts[Int(bytes[place])], let end = end(in: bytes, at: place, isCut) {
        out += Self.mark
        place = end
      } else {
        out.append(bytes[place])
        place += 1
      }
    }
    return out
  }

  /// Returns the end of a secret that begins at a place; nil if none does.
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
    var place = start
    for (index, byte) in text.enumerated() {
      if place >= bytes.count { return isCut && index >= Self.shortest ? bytes.count : nil }
      guard let after = next(place, byte) else {
        let isHalfAnEscape = isCut && index >= Self.shortest && EscapedByte.isHalf(bytes[place...])
        return isHalfAnEscape ? bytes.count : nil
      }
      place = after
    }
    return place
  }

  /// The secrets in a value.
  private static func parts(_ value: String) -> [String] {
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

  /// The characters of base64 that are the same whatever stands before and after the bytes, behind `shift` other bytes.
  private static func base64(_ bytes: [UInt8], _ shift: Int) -> [UInt8] {
    let text = Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString()
    return Array(text.utf8.prefix((shift + bytes.count) * 8 / 6).dropFirst((shift * 8 + 5) / 6))
  }
}

/// Makes masks, and keeps the last one: requests to one place carry the same secrets for long.
public final class SecretMasks: Sendable {
  private let last = Mutex<(secrets: [String], mask: SecretMask)>(([], .none))

  /// Creates it without a mask.
  public init() {}

  /// Returns the mask of these secrets.
  public func mask(of secrets: [String]) -> SecretMask {
    last.withLock { last in
      if last.secrets != secrets { last = (secrets, SecretMask(secrets)) }
      return last.mask
    }
  }
}
