import Jobs

/// The beginning of a failed answer for a person, in case it contains no recognized message, or not the important one.
public enum FailedAnswer {
  /// The maximum number of bytes of the body.
  static let limit = 2048

  /// Returns the beginning of the body without the request's secrets, with each line escaped; nil if it is blank.
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
