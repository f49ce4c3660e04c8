import ArgumentParser
import CommandParts
import ControlAPI
import HTTPTransfer
import Jobs
import Linux
import Messages
import Settings

extension CommandFailure {
  /// 1: the job is unknown or not in a state for this.
  static let jobs = CommandFailure(words: nil)

  /// Creates the failure for the error that ended a command; nil for one of the argument parser.
  init?(of error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as ControlError: self.init(error)
    case let error as ConfigurationError: self.init(status: .configuration, words: error.description)
    case let error as TransferError: self.init(status: .unavailable, words: error.words)
    case let error as FileError: self.init(status: .failure, words: error.words)
    default: return nil
    }
  }

  init(_ error: ControlError) {
    let status =
      switch error {
      case .noDaemon, .unreadable, .cancelled: ExitCode.unavailable
      case .notPermitted: ExitCode.notPermitted
      case .problem(let problem) where problem.status == 400: ExitCode.validationFailure
      case .problem(let problem) where problem.status == 503: ExitCode.unavailable
      case .problem: ExitCode(1)
      }
    self.init(status: status, words: error.description)
  }
}

extension ProblemDocument {
  /// The problem in words, safe for a terminal. If the job has changed since the caller saw it, also who changed it, and when.
  var inWords: String {
    let words = DisplayText.escape(said.shown)
    guard code == .wrongRevision, let lastChange else { return words }
    let by = lastChange.by.map { " by \(Words.user($0.user))" } ?? ""
    return "\(words); changed last\(by) at \(Words.time(lastChange.at))"
  }
}
