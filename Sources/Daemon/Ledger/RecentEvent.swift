package import Jobs

/// An entry of the log as little as a copy of the ledger is told of it. It does not hold the job's ticket, which may have much metadata and
/// would stay in memory after the job has left.
package enum RecentEvent: Sendable {
  /// A step that went well, from which a name is said: most events are of this kind.
  package struct Plain: Sendable {
    let sequence: Int64
    let at: Timestamp
    let number: JobNumber
    let revision: Int64
    let name: FileName
    let spool: String
    let kind: JobEvent.Kind
    let step: Step

    /// Returns nil for an event with more facts.
    init?(_ event: JobEvent) {
      switch event.kind {
      case .admitted, .uploaded, .registered: break
      case .skipped, .deferred, .question, .confirmed, .retried, .cancelled, .aborted, .released, .discarded, .cleaned,
        .objectLeft:
        return nil
      }
      guard event.by == nil, event.reason == nil else { return nil }
      sequence = event.sequence
      at = event.at
      number = event.job.number
      revision = event.job.revision
      name = event.job.ticket.name
      spool = event.job.ticket.spool
      kind = event.kind
      step = event.step
    }

    fileprivate var event: JobEvent {
      let identity = FileIdentity(device: 0, inode: 0, size: 0, modified: 0, changed: 0)
      let ticket = Ticket(told: name, spool: spool, storage: "", backend: "")
      var job = Job(number: number, ticket: ticket, identity: identity)
      job.revision = revision
      var event = JobEvent(at: at, kind: kind, step: step, job: job)
      event.sequence = sequence
      return event
    }
  }

  /// An event as a whole, in an object of its own.
  package final class Whole: Sendable {
    let event: LoggedEvent

    init(_ event: LoggedEvent) { self.event = event }
  }

  case plain(Plain)
  case whole(Whole)

  init(_ event: JobEvent) {
    if let plain = Plain(event) {
      self = .plain(plain)
    } else {
      var event = EventRow.asRead(event)
      let ticket = event.job.ticket
      event.job = RecentJob(event.job).job(
        with: Ticket(told: ticket.name, spool: ticket.spool, storage: ticket.storage, backend: ticket.backend))
      self = .whole(Whole(.job(event)))
    }
  }

  init(_ occurrence: Occurrence) { self = .whole(Whole(.occurrence(occurrence))) }

  /// Creates an entry from one that was read.
  package init(_ event: LoggedEvent) {
    switch event {
    case .job(let event): self.init(event)
    case .occurrence(let occurrence): self.init(occurrence)
    }
  }

  var sequence: Int64 {
    switch self {
    case .plain(let event): event.sequence
    case .whole(let whole): whole.event.sequence
    }
  }

  /// The job that it is about.
  var job: JobNumber? {
    switch self {
    case .plain(let event): event.number
    case .whole(let whole): if case .job(let event) = whole.event { event.job.number } else { nil }
    }
  }

  /// The entry with what a copy is told of it.
  package var logged: LoggedEvent {
    switch self {
    case .plain(let event): .job(event.event)
    case .whole(let whole): whole.event
    }
  }

  /// The bytes that it takes, roughly.
  var bytes: Int {
    switch self {
    case .plain(let event): MemoryLayout<RecentEvent>.stride + event.name.bytes.count + event.spool.utf8.count
    case .whole: 2048
    }
  }
}

extension Ticket {
  /// Creates a ticket with what an event says of it, and nothing else.
  fileprivate convenience init(told name: FileName, spool: String, storage: String, backend: String) {
    self.init(
      id: JobID(high: 0, low: 0), spool: spool, name: name, storage: storage, backend: backend, bucket: "", key: "",
      contentType: "", metadata: [:], priority: 0, createdAt: Timestamp(microseconds: 0))
  }
}
