public import Messages

extension ProblemMessage {
  /// The remedy; nil if there is none.
  public var help: Message? { remedy.text.isEmpty ? nil : remedy }
}
