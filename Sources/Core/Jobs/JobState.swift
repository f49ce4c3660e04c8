/// The state of a job. ``Job/apply(_:now:steady:)`` moves a job from one state to another.
///
/// Each case names what moves a job into it and where the job can go next.
public enum JobState: String, Sendable, CaseIterable {
  /// The job may start as soon as a slot is free.
  ///
  /// A job is queued when it is admitted and when step 1 is done. A stop or a crash queues the job it cut. A job comes
  /// here again when its wait is over, when a person confirms or retries it, or when another job asks about its
  /// destination. Next: the pipeline begins it (`active`), a person cancels it (`cancelled`), or a person must decide
  /// first (`awaitingConfirmation`): its destination left the configuration or a lost ledger had its question.
  case queued
  /// A request is in flight.
  ///
  /// The pipeline moves a queued job here. Next: the attempt's result moves it on (`queued`, `deferred`,
  /// `awaitingConfirmation`, `awaitingCredentials`, `awaitingNetwork`, `registered`, `skipped` or `aborted`), a stop or a crash makes it
  /// `queued`, or a person cancels it (`cancelled`).
  case active
  /// The job is tried again by itself at `nextAttemptAt`.
  ///
  /// A failed attempt that is worth another try moves a job here. Next: the time comes or a person wants it now (`queued`), a
  /// person cancels it (`cancelled`), or a person must decide first (`awaitingConfirmation`).
  case deferred
  /// A question is open, and only a person's answer moves the job.
  ///
  /// A failure that needs a person moves an active job here. Where a person must decide before a job goes on, it comes here
  /// from any other state that is neither `active` nor terminal. Next: `queued` or `cancelled`.
  case awaitingConfirmation = "awaiting-confirmation"
  /// The job waits for a key, because the destination refused its key or the key could not be read.
  ///
  /// Such a failure of an attempt moves a job here. Next: `queued` (the job is the probe, the destination is open again or a
  /// person wants it now), `cancelled` or `awaitingConfirmation`.
  case awaitingCredentials = "awaiting-credentials"
  /// The job waits for a way to the destination, because none was found.
  ///
  /// Such a failure of an attempt moves a job here. Next: `queued` (the job is the probe, the destination is open again or a
  /// person wants it now), `cancelled` or `awaitingConfirmation`.
  case awaitingNetwork = "awaiting-network"
  /// Both steps are done and the receipt is durable; the file is disposed of next.
  ///
  /// A successful registration moves an active job here. This state is final.
  case registered
  /// The same bytes were sent before, so they are not sent again; the file is disposed of next.
  ///
  /// An attempt at step 1 that recognised the bytes moves an active job here. This state is final.
  case skipped
  /// A 503 ended the job. The file is kept.
  ///
  /// A failed attempt with that verdict moves an active job here. Next: a person retries it (`queued`), or deletes or takes
  /// back its file (`discarded`).
  case aborted
  /// A person cancelled the job. The file is kept.
  ///
  /// A cancel moves a job here from any state that is not terminal. Next: a person retries it (`queued`), or deletes or takes
  /// back its file (`discarded`).
  case cancelled
  /// A person deleted or took back the file of an aborted or cancelled job.
  ///
  /// The discard or the completed release moves it here. This state is final.
  case discarded

  /// True if the job has ended, at least until a person asks for more.
  public var isTerminal: Bool { phase == .stopped || phase == .done }

  /// True if the job waits for a time, a person, a key or the network.
  public var isWaiting: Bool {
    switch self {
    case .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork: true
    case .queued, .active, .registered, .skipped, .aborted, .cancelled, .discarded: false
    }
  }

  /// True if the job goes on by itself, when its turn, its time, a key or the network comes.
  public var movesByItself: Bool {
    switch self {
    case .queued, .deferred, .awaitingCredentials, .awaitingNetwork: true
    case .active, .awaitingConfirmation, .registered, .skipped, .aborted, .cancelled, .discarded: false
    }
  }
}

/// The state of a job in five words, for people: what they look for first. The exact states (``JobState``) stand behind them.
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

  /// The word for people.
  public var word: String { self == .needsYou ? "needs you" : rawValue }
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
