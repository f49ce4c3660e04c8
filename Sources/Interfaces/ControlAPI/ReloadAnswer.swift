public import Messages

extension ReloadAnswer {
  /// The most jobs that are listed.
  public static let mostListed = 1000

  /// Creates an answer; the sentence is made from the rest.
  public init(
    added: [String], changed: [String], removed: [String], needsRestart: [String], asking: [Int64],
    problems: [Message] = []
  ) {
    func part(_ names: [String], _ words: (String) -> Message) -> Message? {
      names.isEmpty ? nil : words(names.joined(separator: ", "))
    }
    let changes: [Message] = [
      part(changed) { .reloadChanged(names: $0) }, part(added) { .reloadAdded(names: $0) },
      part(removed) { .reloadRemoved(names: $0) },
    ].compactMap(\.self)
    let others: [Message] = [
      part(needsRestart) { .reloadAfterRestart(keys: $0) },
      asking.first.map { .reloadAsk(count: asking.count, job: $0) },
    ].compactMap(\.self)
    let more = changes.dropFirst() + others
    self.init(
      added: added, changed: changed, removed: removed, needsRestart: needsRestart,
      asking: Array(asking.prefix(Self.mostListed)), askingCount: asking.count, problems: problems,
      message: .reloaded(changes: more.reduce(changes.first ?? .reloadNothing) { .and(what: $0, more: $1) }))
  }
}
