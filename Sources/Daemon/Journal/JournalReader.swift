import Jobs
import Spool
import SystemdLink

/// Reads events into the journal: one entry each, with the fields that the outside contract names.
struct JournalReader: Sendable {
  /// How much is told of jobs that go well: `journal` in the configuration.
  enum Level: Sendable {
    /// Nothing.
    case notice
    /// Each that was registered.
    case info
    /// Also each that was admitted and uploaded.
    case debug
  }

  let writer: JournalWriter
  let level: Level

  /// What stands for the entries that found the queue full.
  static let dropNotice: @Sendable (Int) -> JournalEntry = { count in
    var entry = entry(.journalOverflow, "\(count) journal entries were dropped: journald did not take them", .warning)
    entry.append("WAYBILL_COUNT", count)
    return entry
  }

  func read(_ event: JobEvent) {
    guard isTold(event.kind) else { return }
    var entry = Self.entry(event.kind.identifier, event.message, event.kind.priority)
    let job = event.job
    entry.append("WAYBILL_JOB", job.number.description)
    entry.append("WAYBILL_ID", job.ticket.id.description)
    entry.append("WAYBILL_SPOOL", job.ticket.spool)
    entry.append("WAYBILL_FILE", job.ticket.name.bytes)
    appendFields(of: event, to: &entry)
    writer.send(entry)
  }

  func read(_ change: Activity.Change) {
    let message =
      change.isBusy
      ? "busy: uploading \(change.uploads), registering \(change.registrations)" : "idle: no request is in flight"
    var entry = Self.entry(.activity, message, .info)
    entry.append("WAYBILL_ACTIVITY", change.isBusy ? "busy" : "idle")
    entry.append("WAYBILL_UPLOADS", change.uploads)
    entry.append("WAYBILL_REGISTRATIONS", change.registrations)
    writer.send(entry)
  }

  /// What happened to the daemon itself: `started`, `stopping`.
  func tell(_ event: MessageIdentifier, _ message: String, version: String) {
    var entry = Self.entry(event, message, .info)
    entry.append("WAYBILL_VERSION", version)
    writer.send(entry)
  }

  /// Something that the daemon itself got wrong, or cannot do.
  func error(_ message: String) {
    writer.send(JournalEntry(message: message, priority: .err, file: nil, line: nil))
  }

  /// Something that is as it is, but worth knowing.
  func notice(_ message: String) {
    writer.send(JournalEntry(message: message, priority: .notice, file: nil, line: nil))
  }

  /// Trouble with a spool.
  func read(_ problem: SpoolProblem) {
    let event: MessageIdentifier = problem.cause == .overflow ? .spoolOverflow : .spoolProblem
    var entry = Self.entry(event, problem.description, .warning)
    entry.append("WAYBILL_SPOOL", problem.spool)
    entry.append("WAYBILL_REASON", problem.reason)
    writer.send(entry)
  }

  /// Trouble with the ledger, or its end (nil).
  func ledgerProblem(_ reason: String?) {
    var entry =
      if let reason {
        Self.entry(.ledgerProblem, reason, .err)
      } else {
        Self.entry(.ledgerRecovered, "the ledger can be written again", .notice)
      }
    entry.append("WAYBILL_REASON", reason ?? "written again")
    writer.send(entry)
  }

  private func isTold(_ kind: JobEvent.Kind) -> Bool {
    switch kind {
    case .admitted, .uploaded: level == .debug
    case .registered: level != .notice
    case .deferred, .question, .confirmed, .retried, .cancelled, .aborted, .released, .discarded: true
    }
  }

  private static func entry(
    _ event: MessageIdentifier, _ message: String, _ priority: JournalEntry.Priority
  ) -> JournalEntry {
    var entry = JournalEntry(
      message: message, priority: priority, messageID: event.id, file: nil, line: nil)
    entry.append("WAYBILL_EVENT", event.rawValue)
    return entry
  }

  private func appendFields(of event: JobEvent, to entry: inout JournalEntry) {
    let job = event.job
    switch event.kind {
    case .admitted:
      entry.append("WAYBILL_BYTES", Int(job.identity.size))
    case .uploaded:
      entry.append("WAYBILL_LINK", job.stored?.link ?? "")
      entry.append("WAYBILL_BYTES", Int(job.identity.size))
      entry.append("WAYBILL_DURATION_USEC", Int(event.took?.microseconds ?? 0))
      entry.append("WAYBILL_ATTEMPT", job.tries[event.step])
    case .registered:
      entry.append("WAYBILL_LINK", job.stored?.link ?? "")
      entry.append("WAYBILL_BYTES", Int(job.identity.size))
      entry.append("WAYBILL_DURATION_USEC", Int((event.at - job.ticket.createdAt).microseconds))
      if let status = job.registration?.status { entry.append("WAYBILL_HTTP_STATUS", status) }
    case .deferred, .question, .aborted:
      entry.append("WAYBILL_STEP", event.step.rawValue)
      entry.append("WAYBILL_ATTEMPT", job.tries[event.step])
      if let failure = job.failure {
        entry.append("WAYBILL_ERROR_KIND", failure.kind.rawValue)
        if let status = failure.status { entry.append("WAYBILL_HTTP_STATUS", status) }
        if let code = failure.code { entry.append("WAYBILL_ERROR_CODE", code) }
      }
      if let next = job.nextAttemptAt { entry.append("WAYBILL_NEXT_ATTEMPT", next.rfc3339Milliseconds) }
    case .confirmed, .retried, .cancelled, .released, .discarded:
      entry.append("WAYBILL_STEP", event.step.rawValue)
      if let by = event.by {
        entry.append("WAYBILL_BY_UID", Int(by.uid))
        entry.append("WAYBILL_BY_USER", by.user)
      }
      if let reason = event.reason { entry.append("WAYBILL_REASON", reason) }
    }
  }
}

extension JobEvent.Kind {
  /// The id by which the journal knows the event.
  fileprivate var identifier: MessageIdentifier {
    switch self {
    case .admitted: .admitted
    case .uploaded: .uploaded
    case .registered: .registered
    case .deferred: .deferred
    case .question: .question
    case .confirmed: .confirmed
    case .retried: .retried
    case .cancelled: .cancelled
    case .aborted: .aborted
    case .released: .released
    case .discarded: .discarded
    }
  }

  /// How much an event matters, as the outside contract has it.
  fileprivate var priority: JournalEntry.Priority {
    switch self {
    case .admitted, .uploaded: .debug
    case .registered: .info
    case .deferred, .confirmed, .retried, .cancelled, .released, .discarded: .notice
    case .question: .warning
    case .aborted: .err
    }
  }
}
