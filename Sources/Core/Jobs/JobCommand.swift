/// A person's command for a job, or answer to its question: one type from the command line and the API to the ledger.
public enum JobCommand: Hashable, Sendable {
  /// Retry the failed step now; with a link, take that for the result of step 1 and go on.
  case confirm(link: String? = nil)
  /// Stop the job; its file is kept. With `remove` its object is deleted.
  case cancel(reason: String? = nil, remove: Bool = false)
  /// As `confirm` for a job that waits; an aborted or cancelled job is queued again.
  case retry
  /// Give the file of an aborted or cancelled job back under its own name, into this directory.
  case release(to: String)
  /// Delete the file of an aborted or cancelled job permanently.
  case discard

  /// The command's name in paths and on the command line.
  public enum Name: String, Sendable, CaseIterable {
    case confirm, cancel, retry, release, discard

    /// The word for a job on which the command was carried out.
    public var participle: String {
      switch self {
      case .confirm: "confirmed"
      case .cancel: "cancelled"
      case .retry: "retried"
      case .release: "released"
      case .discard: "discarded"
      }
    }

    /// True if a job in a state takes the command.
    public func fits(_ state: JobState) -> Bool {
      switch self {
      case .confirm: state.isWaiting
      case .retry: state.isWaiting || state.phase == .stopped
      case .cancel: !state.isTerminal
      case .release, .discard: state.phase == .stopped
      }
    }

    /// True if the command can also be about many jobs at once. Files are given back one by one.
    public var isForMany: Bool { self != .release }
  }

  package var name: Name {
    switch self {
    case .confirm: .confirm
    case .cancel: .cancel
    case .retry: .retry
    case .release: .release
    case .discard: .discard
    }
  }
}
