public import Messages

extension ProblemMessage {
  /// The remedy; nil if there is none.
  public var help: Message? { remedy.text.isEmpty ? nil : remedy }

  /// True if it is that nothing comes into a spool: the daemon works as it should, and somebody else may not.
  public var isSilence: Bool {
    ["nothing-has-come", "nothing-was-taken"].contains(what.code)
  }
}
