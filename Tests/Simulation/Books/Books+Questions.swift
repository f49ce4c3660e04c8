/// An event of a job, as far as it says how often people are asked.
package struct LoggedQuestion: Hashable, Sendable {
  package var job: Int64
  /// True if a person was asked; false for any other event.
  package var isAsked: Bool
  /// True if the question is about a fault that all jobs of the destination meet.
  package var isOfDestination: Bool

  package init(job: Int64, isAsked: Bool, isOfDestination: Bool = false) {
    (self.job, self.isAsked, self.isOfDestination) = (job, isAsked, isOfDestination)
  }
}

extension Books {
  /// Returns what is wrong with the number of questions; nil if people are asked no more than there are causes. A fault of a destination is
  /// asked about by one job, and once more after each command that may have been the answer. A job asks about its own fault once: something has
  /// to happen to it until it asks again.
  package func flood(of log: [LoggedQuestion], causes: Int) -> String? {
    var asks: Set<Int64> = []
    for entry in log {
      guard entry.isAsked else { asks.remove(entry.job); continue }
      guard asks.insert(entry.job).inserted else { return "job \(entry.job) has asked again, and nothing has happened" }
    }
    let asked = log.count { $0.isAsked && $0.isOfDestination }
    return asked <= causes + commands
      ? nil : "\(asked) questions about destinations came of \(causes) causes and \(commands) commands"
  }
}
