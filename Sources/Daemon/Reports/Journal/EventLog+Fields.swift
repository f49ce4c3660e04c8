import Jobs
import Messages
import SystemdLink

extension EventLog {
  /// Calls a closure with each journal field of a job's event, as waybilld(8) names them.
  func forEachField(of event: JobEvent, _ add: (JournalFolding.Field) -> Void) {
    let job = event.job
    add(.init(.job, job.number.rawValue))
    add(.init(.id, job.ticket.id.description))
    add(.init(.spool, job.ticket.spool))
    add(.init(.file, job.ticket.name.bytes))
    switch event.kind {
    case .admitted:
      add(.init(.bytes, job.identity.size))
    case .uploaded:
      add(.init(.link, job.stored?.link ?? ""))
      add(.init(.bytes, job.identity.size))
      add(.init(.durationMicroseconds, event.took?.microseconds ?? 0))
      add(.init(.attempt, Int64(job.tries[event.step])))
    case .registered:
      add(.init(.link, job.stored?.link ?? ""))
      add(.init(.bytes, job.identity.size))
      // The wall clock may have been set back since the admission.
      add(.init(.durationMicroseconds, max(0, (event.at - job.ticket.createdAt).microseconds)))
      if let status = job.registration?.status { add(.init(.httpStatus, Int64(status))) }
    case .skipped:
      add(.init(.bytes, job.identity.size))
      if let earlier = job.recognized { add(.init(.sameAs, earlier.job.rawValue)) }
    case .deferred, .question, .aborted:
      add(.init(.step, event.step.rawValue))
      add(.init(.attempt, Int64(job.tries[event.step])))
      if let failure = job.failure { Self.fields(of: failure).forEach(add) }
      if let next = job.nextAttemptAt {
        add(.init(.nextAttempt, (next + clockOffset).rfc3339Milliseconds))
      }
    case .confirmed, .retried, .cancelled, .released, .discarded:
      add(.init(.step, event.step.rawValue))
      if let by = event.by {
        add(.init(.byUID, Int64(by.uid)))
        add(.init(.byUser, by.user))
      }
      if let reason = event.reason { add(.init(.reason, reason.text)) }
    case .cleaned, .objectLeft:
      add(.init(.destination, job.ticket.destination(of: .upload).text))
      if let reason = event.reason { add(.init(.reason, reason.text)) }
    }
  }

  private static func fields(of failure: Failure) -> [JournalFolding.Field] {
    var fields: [JournalFolding.Field] = [.init(.errorKind, failure.kind.rawValue)]
    if let status = failure.status { fields.append(.init(.httpStatus, Int64(status))) }
    if let code = failure.code { fields.append(.init(.errorCode, code)) }
    return fields
  }

  /// Returns the form of a job's event in which many are counted together.
  func occurrence(of event: JobEvent) -> JournalFolding.Occurrence {
    let job = event.job
    let failure = job.failure
    var fields: [JournalFolding.Field] = []
    forEachField(of: event) { fields.append($0) }
    return JournalFolding.Occurrence(
      reason: JournalFolding.Reason(
        event: .job(event.kind), spool: job.ticket.spool, step: event.step, kind: failure?.kind,
        status: failure?.status, code: failure?.code),
      message: event.messageOfMany, fields: fields)
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

extension JournalFolding.Field {
  init(_ name: JournalFieldName, _ text: String) { self.init(name: name, value: .text(text)) }
  init(_ name: JournalFieldName, _ bytes: [UInt8]) { self.init(name: name, value: .bytes(bytes)) }
  init(_ name: JournalFieldName, _ number: Int64) { self.init(name: name, value: .number(number)) }
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
