import ControlAPI
import Jobs

extension ProblemDocument {
  /// What is wrong, safe for a terminal; of a conflict also who changed the job when.
  var inWords: String {
    let words = DisplayText.escape(detail ?? title)
    guard let conflict else { return words }
    let by = conflict.changedBy.map { " by \(DisplayText.escape($0))" } ?? ""
    return "\(words); changed last\(by) at \(Words.time(conflict.changedAt.timestamp))"
  }
}
