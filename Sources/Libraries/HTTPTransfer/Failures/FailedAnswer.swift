import Jobs

/// The beginning of an answer that was a failure, for a person to read: the server's own words, in case no message was found
/// in them, or not the one that matters.
public enum FailedAnswer {
  /// The largest number of bytes of a body that are kept.
  static let limit = 2048

  /// Returns the beginning of a body without the secrets that its request carried, its lines escaped one by one; nil if it is
  /// blank.
  public static func text(_ response: HTTPResponse, hiding mask: SecretMask) -> String? {
    let lines = mask.hiding(in: response).prefix(limit).split(omittingEmptySubsequences: false) { $0 == 0x0A }.map {
      line in
      var line = line.map { $0 == 0x09 ? 0x20 : $0 }
      while let last = line.last, last == 0x20 || last == 0x0D { line.removeLast() }
      return DisplayText.escape(line)
    }
    let text = lines.joined(separator: "\n")
    return text.allSatisfy(\.isWhitespace) ? nil : text
  }
}
