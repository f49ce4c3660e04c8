package import Jobs
import Messages
import SystemdLink

extension EventLog {
  /// Writes an entry about a gate, a spool or the ledger. Many events of one cause become one entry if their kind is folded.
  package func log(_ occurrence: Occurrence, cause: String? = nil) {
    let event = MessageIdentifier.occurrence(occurrence.kind)
    let fields = Self.fields(of: occurrence)
    let entry = { Self.entry(event, occurrence.said, fields) }
    guard occurrence.kind.isFolded else { return writer.send(entry()) }
    folds.send(
      JournalFolding.Occurrence(
        reason: JournalFolding.Reason(event: event, spool: occurrence.subject.spool, code: cause),
        message: occurrence.said, fields: fields), entry)
  }

  /// Returns the journal fields of an event that concerns no job.
  private static func fields(of occurrence: Occurrence) -> [JournalFolding.Field] {
    var fields: [JournalFolding.Field] = []
    switch occurrence.subject {
    case .target(let target): fields.append(.init(.destination, target.name))
    case .spool(let name): fields.append(.init(.spool, name))
    case .ledger, .configuration: break
    }
    if let reason = occurrence.reason { fields.append(.init(.reason, reason.text)) }
    if let until = occurrence.until { fields.append(.init(.until, until.rfc3339Milliseconds)) }
    if let by = occurrence.by {
      fields.append(.init(.byUID, Int64(by.uid)))
      fields.append(.init(.byUser, by.user))
    }
    return fields
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

extension Occurrence.Subject {
  /// The spool, if the subject is one.
  fileprivate var spool: String? { if case .spool(let name) = self { name } else { nil } }
}
