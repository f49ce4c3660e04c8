package import Jobs
import Messages
import SystemdLink

extension EventLog {
  func entry(of event: JobEvent) -> JournalEntry {
    var entry = Self.entry(.job(event.kind), event.said)
    let job = event.job
    entry.append(.job, job.number.rawValue)
    entry.append(.id, job.ticket.id.description)
    entry.append(.traceID, job.ticket.id.trace)
    entry.append(.spool, job.ticket.spool)
    entry.append(.file, job.ticket.name.bytes)
    switch event.kind {
    case .admitted: entry.append(.bytes, job.identity.size)
    case .uploaded:
      entry.append(.link, job.stored?.link ?? "")
      entry.append(.bytes, job.identity.size)
      entry.append(.durationMicroseconds, event.took?.microseconds ?? 0)
      entry.append(.attempt, job.tries[event.step])
    case .registered:
      entry.append(.link, job.stored?.link ?? "")
      entry.append(.bytes, job.identity.size)
      // The wall clock may have been set back since the admission.
      entry.append(.durationMicroseconds, max(0, (event.at - job.ticket.createdAt).microseconds))
      entry.append(.httpStatus, job.registration?.status)
    case .skipped:
      entry.append(.bytes, job.identity.size)
      entry.append(.sameAs, job.recognized?.job.rawValue)
    case .deferred, .question, .aborted:
      entry.append(.attempt, job.tries[event.step])
      entry.append(.nextAttempt, job.nextAttemptAt.map { ($0 + clockOffset).rfc3339Milliseconds })
      entry.append(of: reason(of: event))
    case .confirmed, .retried, .cancelled, .released, .discarded:
      entry.append(.step, event.step.rawValue)
      entry.append(of: event.by)
      entry.append(.reason, event.reason?.text)
    case .cleaned, .objectLeft:
      entry.append(.destination, job.ticket.destination(of: .upload).text)
      entry.append(.reason, event.reason?.text)
    }
    return entry
  }

  func reason(of event: JobEvent) -> JournalFolding.Reason {
    let failure = event.job.failure
    return JournalFolding.Reason(
      event: .job(event.kind), spool: event.job.ticket.spool, step: event.step, kind: failure?.kind,
      status: failure?.status, code: failure?.code)
  }

  /// Writes an entry about a gate, a spool or the ledger. Many events of one cause become one entry if their kind is folded.
  package func log(_ occurrence: Occurrence, cause: String? = nil) {
    let event = MessageIdentifier.occurrence(occurrence.kind)
    func entry() -> JournalEntry {
      var entry = Self.entry(event, occurrence.said)
      switch occurrence.subject {
      case .target(let target): entry.append(.destination, target.name)
      case .spool(let name): entry.append(.spool, name)
      case .ledger, .configuration: break
      }
      entry.append(.reason, occurrence.reason?.text)
      entry.append(.until, occurrence.until?.rfc3339Milliseconds)
      entry.append(of: occurrence.by)
      return entry
    }
    guard occurrence.kind.isFolded else { return writer.send(entry()) }
    let spool: String? = if case .spool(let name) = occurrence.subject { name } else { nil }
    folds.send(
      JournalFolding.Reason(event: event, spool: spool, cause: cause), occurrence.said, words: occurrence.reason?.text,
      entry)
  }
}

extension JournalEntry {
  mutating func append(_ name: JournalFieldName, _ value: String?) { if let value { append(name, value) } }
  fileprivate mutating func append(_ name: JournalFieldName, _ value: Int?) { if let value { append(name, value) } }
  fileprivate mutating func append(_ name: JournalFieldName, _ value: Int64?) { append(name, value.map { Int($0) }) }

  mutating func append(of reason: JournalFolding.Reason) {
    append(.step, reason.step?.rawValue)
    append(.errorKind, reason.kind?.rawValue)
    append(.httpStatus, reason.status)
    append(.errorCode, reason.code)
  }

  fileprivate mutating func append(of caller: Caller?) {
    append(.byUID, caller.map { Int($0.uid) })
    append(.byUser, caller?.user)
  }
}

extension JobEvent {
  /// The event's sentence where it stands for many files, without the name of one.
  var messageOfMany: Message {
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
  fileprivate var isFolded: Bool {
    switch self {
    case .spoolProblem: true
    case .gateClosed, .gateOpened, .spoolOverflow, .ledgerProblem, .ledgerRecovered, .objectLeft, .reloaded:
      false
    }
  }
}
