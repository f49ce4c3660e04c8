import Jobs

/// A placeholder of a key, a link, a tag or a header.
enum KeyPlaceholder: Hashable, Sendable {
  /// One of the job's facts.
  case fact(KeyFacts.Fact)
  /// The value of the file's attribute `user.waybill.NAME`, by NAME.
  case metadata(String)

  private static let prefix = "metadata."

  /// Creates the placeholder for a name in braces; nil if the name is unknown.
  init?(_ name: String) {
    if name.hasPrefix(Self.prefix), name.utf8.count > Self.prefix.utf8.count {
      self = .metadata(String(name.dropFirst(Self.prefix.count)))
    } else if let fact = KeyFacts.Fact(rawValue: name) {
      self = .fact(fact)
    } else {
      return nil
    }
  }
}

extension Template<KeyPlaceholder> {
  /// The text with the values of its placeholders, as bytes of UTF-8.
  func bytes(_ facts: KeyFacts) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    for part in parts {
      switch part {
      case .text(let text): bytes += text.utf8
      case .placeholder(let placeholder): facts.append(placeholder, to: &bytes)
      }
    }
    return bytes
  }
}
