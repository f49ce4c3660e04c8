public import Messages

/// An event of a gate, a spool, the ledger or the configuration, as a value. It concerns no job.
///
/// It is in the ledger's log of events, in one sequence with the ``JobEvent``s.
public struct Occurrence: Hashable, Sendable {
  /// The kind of event; the raw value is the name that journal and stream use.
  public enum Kind: String, Sendable, CaseIterable {
    /// Nothing new starts at a destination.
    case gateClosed = "gate-closed"
    /// A destination takes requests again.
    case gateOpened = "gate-opened"
    /// The kernel's queue of file events for a spool overflowed.
    case spoolOverflow = "spool-overflow"
    /// A spool, or a file in it, needs attention.
    case spoolProblem = "spool-problem"
    /// The ledger could not be written.
    case ledgerProblem = "ledger-problem"
    /// The ledger can be written again.
    case ledgerRecovered = "ledger-recovered"
    /// The object of a cancelled job that has left the ledger could not be removed. For a job in the ledger it is a
    /// ``JobEvent``.
    case objectLeft = "object-left"
    /// The configuration was reloaded, or a reload was refused.
    case reloaded
  }

  /// The subject of the event.
  public enum Subject: Hashable, Sendable {
    /// Something that a gate or a pause holds.
    case target(Pause.Target)
    /// A spool, by its name in the configuration.
    case spool(String)
    case ledger
    case configuration

    /// Returns the subject of an event of a destination.
    public static func destination(_ destination: Destination) -> Subject { .target(.destination(destination)) }
  }

  /// The event's number in the ledger; 0 until the event is committed.
  public var sequence: Int64 = 0
  /// The time at which it happened. Earlier entries may have later times: trouble with the ledger is written afterwards.
  public var at: Timestamp
  package var kind: Kind
  package var subject: Subject
  /// The event as a sentence for people. Escape it before showing it.
  public var said: Message
  /// The reason; for a gate, its ``Gate/Reason``.
  public var reason: Message?
  /// The time until which a gate stays closed, in the wall-clock time.
  public var until: Timestamp?
  package var by: Caller?

  package var message: String { said.text }

  package init(
    _ kind: Kind, of subject: Subject, at: Timestamp, message: Message, reason: Message? = nil, until: Timestamp? = nil,
    by: Caller? = nil
  ) {
    self.at = at
    self.kind = kind
    self.subject = subject
    self.said = message
    self.reason = reason
    self.until = until
    self.by = by
  }
}

/// One entry of the ledger's log of events.
public enum LoggedEvent: Hashable, Sendable {
  case job(JobEvent)
  case occurrence(Occurrence)

  package var sequence: Int64 {
    switch self {
    case .job(let event): event.sequence
    case .occurrence(let occurrence): occurrence.sequence
    }
  }
}
