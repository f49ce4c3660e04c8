public import Messages

/// A problem that keeps the daemon from working as it should, for as long as it lasts.
public struct ProblemMessage: Hashable, Sendable, Codable {
  /// The fault, in words. Escape it before showing it.
  public var what: String
  /// The code and the arguments of ``what``; nil for words that have none.
  @Nullable public var whatSaid: Message?
  /// The time since which it lasts.
  public var since: MessageTime
  /// The remedy that a person has; empty if there is none.
  public var remedy: String
  /// The code and the arguments of ``remedy``; nil for words that have none.
  @Nullable public var remedySaid: Message?

  enum CodingKeys: String, CodingKey {
    case what, since, remedy
    case whatSaid = "what_said"
    case remedySaid = "remedy_said"
  }

  /// Creates a problem from its words.
  public init(what: Message, since: MessageTime, remedy: Message?) {
    self.what = what.text
    whatSaid = what.coded
    self.since = since
    self.remedy = remedy?.text ?? ""
    remedySaid = remedy?.coded
  }

  /// True if it is that nothing comes into a spool: the daemon works as it should, and somebody else may not.
  public var isSilence: Bool {
    let codes = [
      Message.nothingHasCome(spool: "", time: .zero, every: .zero),
      .nothingWasTaken(spool: "", time: .zero, count: 0, every: .zero),
    ].map(\.code)
    return whatSaid.map { codes.contains($0.code) } ?? false
  }

  /// The problem without anything that could name a file or a spool: that there is one and since when, and if it is a spool's
  /// silence, that too.
  public var withoutNames: ProblemMessage {
    let silence = isSilence ? whatSaid?.withoutArguments : nil
    return ProblemMessage(what: silence ?? .text("a problem: ask the host"), since: since, remedy: nil)
  }

  /// The fault and the remedy as messages, with or without codes.
  public var said: (what: Message, remedy: Message?) {
    (whatSaid ?? .text(what), remedy.isEmpty ? nil : remedySaid ?? .text(remedy))
  }

  /// Creates a problem from words that have no code.
  public init(what: String, since: MessageTime, remedy: String) {
    self.init(what: .text(what), since: since, remedy: remedy.isEmpty ? nil : .text(remedy))
  }
}
