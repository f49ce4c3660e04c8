/// Something that happened to a gate, a spool or the ledger itself, as a value: no job is concerned.
///
/// It stands in the ledger's log of events in one sequence with the ``JobEvent``s.
public struct Occurrence: Hashable, Sendable {
  /// What happened; the raw value is the name that journal and stream use.
  public enum Kind: String, Sendable, CaseIterable {
    /// Nothing new starts at a destination.
    case gateClosed = "gate-closed"
    /// A destination takes requests again.
    case gateOpened = "gate-opened"
    /// The kernel dropped hints about a spool.
    case spoolOverflow = "spool-overflow"
    /// Files in a spool cannot be taken as they should be.
    case spoolProblem = "spool-problem"
    /// The ledger could not be written.
    case ledgerProblem = "ledger-problem"
    /// The ledger can be written again.
    case ledgerRecovered = "ledger-recovered"
    /// The object of a cancelled job that has left the ledger could not be removed. That of another job is a ``JobEvent``.
    case objectLeft = "object-left"
  }

  /// What it happened to.
  public enum Subject: Hashable, Sendable {
    /// A destination or what else a gate or a pause holds, e.g. `storage.main`, `spool.documents` or `all`.
    case destination(String)
    /// A spool, by its name in the configuration.
    case spool(String)
    /// The ledger.
    case ledger
  }

  /// The ledger's sequence; 0 until it is committed.
  public var sequence: Int64
  /// When it happened, which may be before what stands earlier in the log: trouble with the ledger is written when it is over.
  public var at: Timestamp
  /// What happened.
  public var kind: Kind
  /// What it happened to.
  public var subject: Subject
  /// The event as a sentence for people. Escape it before showing it.
  public var message: String
  /// Why, in words; of a gate one of the reasons that gates have.
  public var reason: String?
  /// Until when a gate stays closed, in the time that people see.
  public var until: Timestamp?
  /// Who asked for it, where a person did.
  public var by: Caller?

  /// An occurrence that is yet to be committed.
  public init(
    _ kind: Kind, of subject: Subject, at: Timestamp, message: String, reason: String? = nil, until: Timestamp? = nil,
    by: Caller? = nil
  ) {
    self.sequence = 0
    self.at = at
    self.kind = kind
    self.subject = subject
    self.message = message
    self.reason = reason
    self.until = until
    self.by = by
  }
}

/// One entry of the ledger's log of events.
public enum LoggedEvent: Hashable, Sendable {
  /// A change of a job.
  case job(JobEvent)
  /// What concerns no job.
  case occurrence(Occurrence)

  /// Its place in the log.
  public var sequence: Int64 {
    switch self {
    case .job(let event): event.sequence
    case .occurrence(let occurrence): occurrence.sequence
    }
  }
}
