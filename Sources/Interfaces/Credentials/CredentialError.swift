public import HTTPTransfer
public import Jobs
public import Messages

/// An error: a credential cannot be read. It names the source and never the value.
public struct CredentialError: FailureConvertible, Hashable, Sendable, CustomStringConvertible {
  package let source: CredentialSource
  /// The error, e.g. `cannot read /etc/waybill/keys/s3-access-key: No such file or directory`.
  public let message: Message
  /// The remedy for the person who can act; nil if the error says it all.
  public let advice: Message?

  /// True if it is being fetched for the first time, so that nothing has failed.
  let isPending: Bool
  /// True if the same may work later although nobody changes anything: a file could not be read now.
  public let mayPass: Bool

  /// The error in English.
  public var words: String { message.text }
  /// The remedy in English.
  public var remedy: String? { advice?.text }

  /// Creates an error with its message.
  public init(
    source: CredentialSource, words: Message, remedy: Message? = nil, isPending: Bool = false, mayPass: Bool = false
  ) {
    self.source = source
    self.message = words
    self.advice = remedy
    self.isPending = isPending
    self.mayPass = mayPass
  }

  /// Creates an error for a source from which no keys or token can be obtained.
  package init(_ fault: KeyFault, of source: CredentialSource) {
    self.init(
      source: source, words: .credentialNotFetched(source: source.words, why: fault.message),
      remedy: fault.advice, mayPass: fault.mayPass)
  }

  /// The error as the reason of a failed step: with a note about a restart if one is needed. For a source that is fetched, the
  /// remedy is part of it, because only the fetch knows it.
  public var reason: Message {
    if source.isFetched { return whole }
    return source.changesWhileRunning ? message : .readAtStart(why: message)
  }

  /// A failure of the credentials.
  public var failure: Failure { Failure(.credentials, reason) }

  /// The error and the remedy.
  public var whole: Message { advice.map { .and(what: message, more: $0) } ?? message }

  /// The words and the remedy.
  public var description: String { whole.text }
}
