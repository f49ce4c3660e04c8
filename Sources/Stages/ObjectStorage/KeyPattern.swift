import Jobs

/// The keys that a spool's jobs can have: the key template with the spool and the host filled in, and patterns for the rest.
public struct KeyPattern: Hashable, Sendable {
  /// The common beginning of all such keys.
  public let prefix: String
  private let pieces: [Piece]

  private enum Piece: Hashable {
    case text(String)
    /// This number of digits.
    case digits(Int)
    /// Two lower-case hexadecimal digits.
    case hexadecimal
    case id
    /// Any text.
    case anything
  }

  /// The keys of a spool's jobs on this host.
  public init(_ template: KeyTemplate, spool: String, host: String) {
    let pieces = template.placeholders.map { part -> Piece in
      switch part {
      case .text(let text): .text(text)
      case .placeholder(.metadata), .placeholder(.capture): .anything
      case .placeholder(.fact(let fact)):
        switch fact {
        case .spool: .text(spool)
        case .host: .text(host)
        case .yyyy: .digits(4)
        case .mm, .dd: .digits(2)
        case .id: .id
        case .spread: .hexadecimal
        case .name, .stem, .ext, .job, .path: .anything
        }
      }
    }
    self.pieces = pieces
    var prefix = ""
    for piece in pieces {
      guard case .text(let text) = piece else { break }
      prefix += text
    }
    self.prefix = prefix
  }

  /// True if a job of the spool can have this key.
  public func matches(_ key: String) -> Bool { Self.matches(key[...], pieces[...]) }

  private static func matches(_ key: Substring, _ pieces: ArraySlice<Piece>) -> Bool {
    guard let piece = pieces.first else { return key.isEmpty }
    let rest = pieces.dropFirst()
    switch piece {
    case .text(let text):
      return key.hasPrefix(text) && matches(key.dropFirst(text.count), rest)
    case .digits(let count):
      let digits = key.prefix(count)
      return digits.count == count && digits.allSatisfy { ("0"..."9").contains($0) }
        && matches(key.dropFirst(count), rest)
    case .hexadecimal:
      let digits = key.prefix(2)
      return digits.count == 2 && digits.allSatisfy { $0.isHexDigit && $0.isASCII && !$0.isUppercase }
        && matches(key.dropFirst(2), rest)
    case .id:
      return JobID(String(key.prefix(36))) != nil && matches(key.dropFirst(36), rest)
    case .anything:
      if rest.isEmpty { return true }
      return key.indices.contains { matches(key[$0...], rest) } || matches(key[key.endIndex...], rest)
    }
  }
}
