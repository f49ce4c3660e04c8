import Jobs

/// The beginning of an answer that was a failure, for a person to read: the far side's own words, in case no message was found
/// in them, or not the one that matters.
public enum FailedAnswer {
  /// The largest number of bytes of a body that are kept.
  static let limit = 2048

  /// Returns the beginning of a body, its lines escaped one by one; nil if it is blank.
  public static func text(_ body: [UInt8]) -> String? {
    let lines = body.prefix(limit).split(omittingEmptySubsequences: false) { $0 == 0x0A }.map { line in
      var line = line.map { $0 == 0x09 ? 0x20 : $0 }
      while let last = line.last, last == 0x20 || last == 0x0D { line.removeLast() }
      return DisplayText.escape(line)
    }
    let text = lines.joined(separator: "\n")
    return text.allSatisfy(\.isWhitespace) ? nil : text
  }

  /// The least length of a secret in bytes: a shorter text is no secret, and occurs in other words.
  private static let shortestSecret = 4

  /// Returns a text without the secrets that the request carried, in case the far side repeated them.
  public static func hiding(_ secrets: [String], in text: String) -> String {
    secrets.filter { $0.utf8.count >= shortestSecret }.reduce(text) { text, secret in
      text.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "[secret]")
    }
  }
}
