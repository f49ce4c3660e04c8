/// The state of a job. ``Job/apply(_:now:steady:)`` moves a job from one state to another; ARCHITECTURE.md shows all moves.
public enum JobState: String, Sendable, CaseIterable {
  /// The job may start as soon as a slot is free: it was admitted, its step 1 is done, a stop or a crash cut it, its wait is over, a person
  /// wants it, or another job asks about its destination.
  case queued
  /// A request is in flight.
  case active
  /// The job is tried again by itself at `nextAttemptAt`, because its failure is worth another try.
  case deferred
  /// A question is open, and only a person's answer moves the job: its failure needs a person, or a person must decide before it goes on.
  case awaitingConfirmation = "awaiting-confirmation"
  /// The job waits for a key, because the destination refused its key or the key could not be read.
  case awaitingCredentials = "awaiting-credentials"
  /// The job waits for a way to the destination, because none was found.
  case awaitingNetwork = "awaiting-network"
  /// Both steps are done and the receipt is durable; the file is disposed of next. This state is final.
  case registered
  /// The same bytes were sent before, so they are not sent again; the file is disposed of next. This state is final.
  case skipped
  /// A 503 ended the job. The file is kept until a person retries the job, or deletes or takes back the file.
  case aborted
  /// A person cancelled the job. The file is kept, as for an aborted job.
  case cancelled
  /// A person deleted or took back the file of an aborted or cancelled job. This state is final.
  case discarded

  /// True if the job has ended, at least until a person asks for more.
  public var isTerminal: Bool { phase == .stopped || phase == .done }

  /// True if the job waits for a time, a person, a key or the network.
  public var isWaiting: Bool { self != .queued && self != .active && !isTerminal }

  /// True if the job goes on by itself, when its turn, its time, a key or the network comes.
  public var movesByItself: Bool { phase == .waiting || self == .awaitingCredentials }
}

/// The state of a job in one of five words, for people. The exact state is a ``JobState``.
public enum JobPhase: String, CaseIterable, Sendable {
  /// The job goes on by itself, as soon as its turn, its time or the network comes.
  case waiting
  /// A request is in flight.
  case working
  /// A person must answer a question, or see to a key.
  case needsYou = "needs-you"
  /// The job was stopped, and its file is kept. A person may start it again.
  case stopped
  /// The job is over. Its file is no longer here, unless the spool keeps its files.
  case done

  package var word: String { self == .needsYou ? "needs you" : rawValue }
}

extension JobState {
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
