package import Jobs
import Messages
import SystemdLink

extension EventLog {
  private typealias Field = JournalFolding.Field

  /// Returns the journal fields of a job's event, as waybilld(8) names them.
  func fields(of event: JobEvent) -> [JournalFolding.Field] {
    let job = event.job
    let attempt = Field(.attempt, Int64(job.tries[event.step]))
    let bytes = Field(.bytes, job.identity.size)
    let link = Field(.link, job.stored?.link ?? "")
    let step = Field(.step, event.step.rawValue)
    let reason = Field(.reason, event.reason?.text)
    let own: [Field?] =
      switch event.kind {
      case .admitted: [bytes]
      case .uploaded: [link, bytes, Field(.durationMicroseconds, event.took?.microseconds ?? 0), attempt]
      case .registered:
        // The wall clock may have been set back since the admission.
        [
          link, bytes, Field(.durationMicroseconds, max(0, (event.at - job.ticket.createdAt).microseconds)),
          Field(.httpStatus, job.registration.map { Int64($0.status) }),
        ]
      case .skipped: [bytes, Field(.sameAs, job.recognized?.job.rawValue)]
      case .deferred, .question, .aborted:
        [step, attempt, Field(.nextAttempt, job.nextAttemptAt.map { ($0 + clockOffset).rfc3339Milliseconds })]
          + Self.fields(of: job.failure)
      case .confirmed, .retried, .cancelled, .released, .discarded: [step] + Self.fields(of: event.by) + [reason]
      case .cleaned, .objectLeft: [Field(.destination, job.ticket.destination(of: .upload).text), reason]
      }
    let ofAll = [
      Field(.job, job.number.rawValue), Field(.id, job.ticket.id.description), Field(.spool, job.ticket.spool),
      Field(.file, job.ticket.name.bytes),
    ]
    return (ofAll + own).compactMap(\.self)
  }

  /// Returns the journal fields of an event that concerns no job.
  private static func fields(of occurrence: Occurrence) -> [JournalFolding.Field] {
    let subject =
      switch occurrence.subject {
      case .target(let target): Field(.destination, target.name)
      case .spool(let name): Field(.spool, name)
      case .ledger, .configuration: Field?.none
      }
    let reason = Field(.reason, occurrence.reason?.text)
    let until = Field(.until, occurrence.until?.rfc3339Milliseconds)
    return ([subject, reason, until] + fields(of: occurrence.by)).compactMap(\.self)
  }

  private static func fields(of failure: Failure?) -> [JournalFolding.Field?] {
    [
      Field(.errorKind, failure?.kind.rawValue), Field(.httpStatus, failure?.status.map { Int64($0) }),
      Field(.errorCode, failure?.code),
    ]
  }

  private static func fields(of caller: Caller?) -> [JournalFolding.Field?] {
    [Field(.byUID, caller.map { Int64($0.uid) }), Field(.byUser, caller?.user)]
  }

  /// Returns the form of a job's event in which many are counted together.
  func occurrence(of event: JobEvent) -> JournalFolding.Occurrence {
    let job = event.job
    let failure = job.failure
    return JournalFolding.Occurrence(
      reason: JournalFolding.Reason(
        event: .job(event.kind), spool: job.ticket.spool, step: event.step, kind: failure?.kind,
        status: failure?.status, code: failure?.code),
      message: event.messageOfMany,
      fields: ([Field(.spool, job.ticket.spool), Field(.step, event.step.rawValue)] + Self.fields(of: failure))
        .compactMap(\.self))
  }

  /// Writes an entry about a gate, a spool or the ledger. Many events of one cause become one entry if their kind is folded.
  package func log(_ occurrence: Occurrence, cause: String? = nil) {
    let event = MessageIdentifier.occurrence(occurrence.kind)
    let fields = Self.fields(of: occurrence)
    let entry = { Self.entry(event, occurrence.said, fields) }
    guard occurrence.kind.isFolded else { return writer.send(entry()) }
    let spool: String? = if case .spool(let name) = occurrence.subject { name } else { nil }
    folds.send(
      JournalFolding.Occurrence(
        reason: JournalFolding.Reason(event: event, spool: spool, code: cause), message: occurrence.said,
        fields: fields), entry)
  }
}

extension JournalEntry {
  /// Adds a field.
  mutating func append(_ field: JournalFolding.Field) {
    switch field.value {
    case .text(let text): append(field.name, text)
    case .bytes(let bytes): append(field.name, bytes)
    case .number(let number): append(field.name, Int(number))
    }
  }
}

/// A field with a value; nil without one.
extension JournalFolding.Field {
  init?(_ name: JournalFieldName, _ text: String?) { self.init(name, text.map(Value.text)) }
  init?(_ name: JournalFieldName, _ bytes: [UInt8]?) { self.init(name, bytes.map(Value.bytes)) }
  init?(_ name: JournalFieldName, _ number: Int64?) { self.init(name, number.map(Value.number)) }

  private init?(_ name: JournalFieldName, _ value: Value?) {
    guard let value else { return nil }
    self.init(name: name, value: value)
  }
}

extension JobEvent {
  /// The event's sentence where it stands for many files, without the name of one.
  fileprivate var messageOfMany: Message {
    let reason = job.failure?.message ?? .unknownReason
    let step = step.rawValue
    switch kind {
    case .deferred:
      switch job.state {
      case .awaitingCredentials: return .manyAwaitKey(step: step, why: reason)
      case .awaitingNetwork: return .manyAwaitNetwork(step: step, why: reason)
      default: return .manyDeferred(step: step, why: reason)
      }
    case .skipped: return .manySkipped
    case .aborted: return .manyAborted(step: step)
    default: return .manyFailed(step: step, why: reason)
    }
  }
}

extension JobEvent.Kind {
  /// True if many events of one reason become one entry. A success gets an entry of its own, however many there are.
  var isFolded: Bool {
    switch self {
    case .skipped, .deferred, .question, .aborted: true
    case .admitted, .uploaded, .registered, .confirmed, .retried, .cancelled, .released, .discarded, .cleaned,
      .objectLeft:
      false
    }
  }
}

extension Occurrence.Kind {
  /// True if many of one cause become one entry.
  fileprivate var isFolded: Bool {
    switch self {
    case .spoolProblem: true
    case .gateClosed, .gateOpened, .spoolOverflow, .ledgerProblem, .ledgerRecovered, .objectLeft, .reloaded:
      false
    }
  }
}
