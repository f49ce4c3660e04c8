/// Why a credential could not be had. It names the source and never the value.
public struct CredentialError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where the credential should have come from.
  public let source: CredentialSource
  /// What went wrong, e.g. `cannot read /etc/waybill/keys/s3-access-key: No such file or directory`.
  public let words: String
  /// What the person who can act may do about it, or nil where the words say it all.
  public let remedy: String?

  /// An error with its words.
  public init(source: CredentialSource, words: String, remedy: String? = nil) {
    self.source = source
    self.words = words
    self.remedy = remedy
  }

  /// The words as the reason of a failed step has them: with the note about a restart where one is needed.
  public var reason: String {
    guard let note = source.restartNote else { return words }
    return "\(words) \(note)"
  }

  /// The words and the remedy.
  public var description: String {
    guard let remedy else { return words }
    return "\(words); \(remedy)"
  }
}
