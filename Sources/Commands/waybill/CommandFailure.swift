import ArgumentParser
import CommandParts
import ControlAPI

extension CommandFailure {
  /// 1: the job is unknown or not in a state for this.
  static let jobs = CommandFailure(status: ExitCode(1), words: nil)

  /// Creates the failure for a failed call.
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
