/// The state of a job in one of five words, which people look for first. Each stands for some exact states (``JobState``).
public enum JobPhase: String, CaseIterable, Sendable {
  /// The job goes on by itself, as soon as its turn, its time or the network comes.
  case waiting
  /// A request is in flight.
  case working
  /// A person must answer a question, or replace a key.
  case needsYou = "needs-you"
  /// The job was stopped, and its file is kept. A person may start it again.
  case stopped
  /// The job is over. Its file is no longer here, unless the spool keeps its files.
  case done

  /// The word for people.
  public var word: String { self == .needsYou ? "needs you" : rawValue }
}

extension JobState {
  /// The name for people.
  public var word: String { rawValue.replacing("-", with: " ") }

  /// The state in one of five words.
  public var phase: JobPhase {
    switch self {
    case .queued, .deferred, .awaitingNetwork: .waiting
    case .active: .working
    case .awaitingConfirmation, .awaitingCredentials: .needsYou
    case .aborted, .cancelled: .stopped
    case .registered, .skipped, .discarded: .done
    }
  }
}
