public import Messages

extension ProblemMessage {
  /// Creates a problem; nil if there is nothing to do.
  public init(what: Message, since: MessageTime, help: Message?) {
    self.init(what: what, since: since, remedy: help ?? .text(""))
  }

  /// The remedy; nil if there is none.
  public var help: Message? { remedy.text.isEmpty ? nil : remedy }

  /// True if it is that nothing comes into a spool: the daemon works as it should, and somebody else may not.
  public var isSilence: Bool {
    let codes = [
      Message.nothingHasCome(spool: "", time: .zero, every: .zero),
      .nothingWasTaken(spool: "", time: .zero, count: 0, every: .zero),
    ].map(\.code)
    return codes.contains(what.code)
  }
}
