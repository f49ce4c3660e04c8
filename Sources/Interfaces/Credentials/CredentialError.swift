/// Why a credential could not be had. It names the source and never the value.
public struct CredentialError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The source that should have had the credential.
  public let source: CredentialSource
  /// The error in words, e.g. `cannot read /etc/waybill/keys/s3-access-key: No such file or directory`.
  public let words: String
  /// The remedy for the person who can act; nil if the words say it all.
  public let remedy: String?

  /// True if it is being fetched for the first time, so that nothing has failed.
  public let isPending: Bool
  /// True if the same may work later although nobody changes anything: a file could not be read now.
  public let mayPass: Bool

  /// An error with its words.
  public init(
    source: CredentialSource, words: String, remedy: String? = nil, isPending: Bool = false, mayPass: Bool = false
  ) {
    self.source = source
    self.words = words
    self.remedy = remedy
    self.isPending = isPending
    self.mayPass = mayPass
  }

  /// The words as the reason of a failed step has them: with the note about a restart where one is needed. For what is
  /// fetched, the remedy is part of them: nobody else knows it.
  public var reason: String {
    if source.isFetched { return description }
    guard let note = source.restartNote else { return words }
    return "\(words) \(note)"
  }

  /// The words and the remedy.
  public var description: String {
    guard let remedy else { return words }
    return "\(words); \(remedy)"
  }
}
