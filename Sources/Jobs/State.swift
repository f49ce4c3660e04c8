/// Where a job stands. Who moves it on, and where it can go, stands beside each.
public enum State: String, Sendable, CaseIterable, Codable {
  /// May start as soon as a slot is free. The pipeline begins it (→ `active`); a person may cancel it.
  case queued
  /// A request is in flight. Its result moves it on; a person may cancel it; a crash makes it `queued`.
  case active
  /// Will be tried again by itself at `nextAttemptAt`; a person may have it tried now, or cancel it.
  case deferred
  /// A question is open. Only a person's answer moves it.
  case awaitingConfirmation = "awaiting-confirmation"
  /// The destination refused the key. A probe that succeeds, or a person, queues it again.
  case awaitingCredentials = "awaiting-credentials"
  /// No way to the destination was found. A probe that succeeds, or a person, queues it again.
  case awaitingNetwork = "awaiting-network"
  /// Both steps are done and the receipt is durable; the file is disposed of next. The end.
  case registered
  /// A 503 ended it. The file is kept; `retry` queues it again.
  case aborted
  /// The operator said no. The file is kept; `retry` queues it again.
  case cancelled
  /// The operator deleted or took back the file of an aborted or cancelled job. The end.
  case discarded

  /// Whether the job's journey has ended, at least until someone asks.
  public var isTerminal: Bool {
    switch self {
    case .registered, .aborted, .cancelled, .discarded: true
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork: false
    }
  }

  /// Whether the job waits for a time, a person, a key or the network.
  public var isWaiting: Bool {
    switch self {
    case .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork: true
    case .queued, .active, .registered, .aborted, .cancelled, .discarded: false
    }
  }
}
