import CommandParts
import ControlAPI
import Jobs
import Messages

extension ProblemDocument {
  /// The problem in words, safe for a terminal. If the job has changed since the caller saw it, also who changed it, and when.
  var inWords: String {
    let words = DisplayText.escape(said.shown)
    guard code == .revision, let lastChange else { return words }
    let by = lastChange.by.map { " by \(Words.user($0.user))" } ?? ""
    return "\(words); changed last\(by) at \(Words.time(lastChange.at.timestamp))"
  }
}
