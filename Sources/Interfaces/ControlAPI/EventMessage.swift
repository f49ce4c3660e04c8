public import Jobs
import Messages

extension EventMessage {
  /// The names of all events that the stream can carry: those of jobs, then those of gates, spools, the ledger and the
  /// configuration.
  public static let names: [String] = {
    let ofJobs = JobEvent.Kind.allCases.map(\.rawValue)
    return ofJobs + Occurrence.Kind.allCases.map(\.rawValue).filter { !ofJobs.contains($0) }
  }()

  /// Creates the message of a job's event; `job` is the message of the job right after the change, where it is wanted.
  public init(_ event: JobEvent, job: JobMessage?) {
    self.init(
      sequence: event.sequence, event: event.kind.rawValue, at: event.at, message: event.said, step: event.step,
      job: job, by: event.by.map { CallerMessage($0) }, reason: event.reason)
  }

  /// Creates the message of an event of a gate, a spool or the ledger.
  public init(_ occurrence: Occurrence) {
    let (destination, spool): (String?, String?) =
      switch occurrence.subject {
      case .target(let target): (target.name, nil)
      case .spool(let name): (nil, name)
      case .ledger, .configuration: (nil, nil)
      }
    self.init(
      sequence: occurrence.sequence, event: occurrence.kind.rawValue, at: occurrence.at, message: occurrence.said,
      by: occurrence.by.map { CallerMessage($0) }, destination: destination, spool: spool, reason: occurrence.reason,
      until: occurrence.until)
  }
}

extension ChangesMessage.Event {
  /// Creates an event from the stream's form.
  public init(_ event: EventMessage) {
    self.init(
      sequence: event.sequence, event: event.event, at: event.at, message: event.message, step: event.step,
      job: event.job?.job, revision: event.job?.revision, by: event.by, spool: event.spool ?? event.job?.spool,
      destination: event.destination, reason: event.reason)
  }

  /// Creates an event from a job's, the same as from the stream's form of it.
  public init(_ event: JobEvent) {
    self.init(EventMessage(event, job: nil))
    (job, revision, spool) = (event.job.number.rawValue, event.job.revision, event.job.ticket.spool)
  }
}
