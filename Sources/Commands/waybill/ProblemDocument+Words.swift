import CommandParts
import ControlAPI
import Jobs

extension ProblemDocument {
  /// The problem in words, safe for a terminal. For a conflict also who changed the job, and when.
  var inWords: String {
    let words = DisplayText.escape(detail ?? title)
    guard let conflict else { return words }
    let by = conflict.changedBy.map { " by \(DisplayText.escape($0.user))" } ?? ""
    return "\(words); changed last\(by) at \(Words.time(conflict.changedAt.timestamp))"
  }
}
