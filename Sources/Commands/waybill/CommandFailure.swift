import ArgumentParser
import ControlAPI

/// The reason why the command ends with an exit status other than 0.
struct CommandFailure: Error {
  /// The exit status.
  var status: ExitCode
  /// The words to print; nil if they have been printed.
  var words: String?

  /// 1: the job is unknown or not in a state for this.
  static let jobs = CommandFailure(status: ExitCode(1), words: nil)

  /// Creates a failure.
  init(status: ExitCode, words: String?) {
    self.status = status
    self.words = words
  }

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

extension ExitCode {
  /// No daemon answers (EX_UNAVAILABLE of sysexits.h).
  static let unavailable = ExitCode(69)
  /// The caller has no right to do this (EX_NOPERM).
  static let notPermitted = ExitCode(77)
  /// An error in the configuration (EX_CONFIG).
  static let configuration = ExitCode(78)
}
