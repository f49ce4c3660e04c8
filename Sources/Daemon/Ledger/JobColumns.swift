import Jobs
import Messages
import SQLite

/// Columns of `job` that change together: the one place that knows their declarations and their order, for the table, for writing and
/// for reading. ``ColumnGroups`` has the order of the groups.
struct JobColumns: Sendable {
  let declared: [String]
  let differ: @Sendable (_ a: Job, _ b: Job) -> Bool
  /// Adds a value for each column, in order.
  let write: @Sendable (_ job: Job, _ row: inout Binding) -> Void
  let read: @Sendable (_ job: inout Job, _ reader: inout ColumnReader) throws -> Void

  /// The columns that every change writes. `last_event` is the last of the job's rows of `event`.
  static let revision = JobColumns(
    declared: ["revision INTEGER NOT NULL", "last_event INTEGER NOT NULL", "updated_at INTEGER NOT NULL"]
  ) { _, _ in
    true
  } write: { job, row in
    row.add(job.revision)
    row.add(job.lastEvent)
    row.add(job.updatedAt.microseconds)
  } read: { job, reader in
    job.revision = reader.next(in: ColumnReader.Bounds.number)
    job.lastEvent = reader.next(in: ColumnReader.Bounds.number)
    job.updatedAt = reader.optionalTime() ?? job.ticket.createdAt
  }

  /// The step, which changes once or twice.
  static let step = JobColumns(declared: ["step TEXT NOT NULL", "destination TEXT NOT NULL"]) {
    $0.step != $1.step
  } write: { job, row in
    row.add(job.step.rawValue)
    row.add(job.destination.text)
  } read: { job, reader in
    job.step = try reader.nextCase()
    reader.skip()  // The destination follows from ticket and step; it is a column for the indexes.
  }

  static let progress = JobColumns(
    declared: [
      "state TEXT NOT NULL", "upload_tries INTEGER NOT NULL", "register_tries INTEGER NOT NULL",
      "attempt_started_at INTEGER",
    ]
  ) {
    $0.state != $1.state || $0.tries != $1.tries || $0.attemptStartedAt != $1.attemptStartedAt
  } write: { job, row in
    row.add(job.state.rawValue)
    row.add(job.tries.upload)
    row.add(job.tries.register)
    row.add(job.attemptStartedAt?.microseconds)
  } read: { job, reader in
    job.state = try reader.nextCase()
    job.tries = Tries(upload: reader.nextCount(), register: reader.nextCount())
    job.attemptStartedAt = reader.optionalTime()
  }

  static let file = JobColumns(declared: IdentityColumns.declared) {
    $0.identity != $1.identity
  } write: { job, row in
    IdentityColumns.write(job.identity, to: &row)
  } read: { job, reader in
    job.identity = IdentityColumns.read(from: &reader)
  }

  /// The state once more, if it is one that people look for, and the time at which a deferred job is tried again, on the steady clock
  /// (``CarriedTimes``). Both are null for a job that goes well.
  static let wait = JobColumns(declared: ["noticed TEXT", "next_attempt_at INTEGER"]) {
    $0.noticed != $1.noticed || $0.nextAttemptAt != $1.nextAttemptAt
  } write: { job, row in
    row.add(job.noticed?.rawValue)
    row.add(job.nextAttemptAt?.microseconds)
  } read: { job, reader in
    reader.skip()  // The noticed state follows from the state; it is a column for the indexes.
    job.nextAttemptAt = reader.optionalTime()
  }

  /// The end of a job, the reason why its file is in the spool, and the time when it went.
  static let end = JobColumns(declared: ["presence INTEGER", "finished_at INTEGER", "disposed_at INTEGER"]) {
    $0.finishedAt != $1.finishedAt || $0.disposedAt != $1.disposedAt || $0.presence != $1.presence
  } write: { job, row in
    row.add(job.presence?.rawValue)
    row.add(job.finishedAt?.microseconds)
    row.add(job.disposedAt?.microseconds)
  } read: { job, reader in
    reader.skip()  // The presence follows from the rest; it is a column for the indexes.
    job.finishedAt = reader.optionalTime()
    job.disposedAt = reader.optionalTime()
  }

  /// The columns of `trouble`, the row of a job that does not go as most do: what may be at the storage, the last failure, what follows
  /// from it, and the question about it; the release of the file, and the job that sent the bytes of a skipped one.
  static let trouble = JobColumns(
    declared: ["may_be_stored INTEGER", "object_may_be_stale INTEGER", "may_be_forgotten INTEGER"]
      + ["delays_spent INTEGER"] + FailureColumns.declared
      + ["question TEXT", "asked_at INTEGER", "sends_duplicate INTEGER", "remote TEXT"]
      + ["release_to TEXT", "release_by_uid INTEGER", "release_by_user TEXT", "same_as INTEGER", "same_sha256 TEXT"]
  ) {
    $0.mayBeStored != $1.mayBeStored || $0.objectMayBeStale != $1.objectMayBeStale
      || $0.mayBeForgotten != $1.mayBeForgotten || $0.delaysSpent != $1.delaysSpent || $0.failure != $1.failure
      || $0.question != $1.question || $0.sendsDuplicate != $1.sendsDuplicate || $0.remote != $1.remote
      || $0.release != $1.release || $0.recognized != $1.recognized
  } write: { job, row in
    row.add(job.mayBeStored)
    row.add(job.objectMayBeStale)
    row.add(job.mayBeForgotten)
    row.add(job.delaysSpent)
    FailureColumns.write(job.failure, to: &row)
    row.add(job.question?.message.stored)
    row.add(job.question?.askedAt.microseconds)
    row.add(job.sendsDuplicate)
    row.add(job.remote?.rawValue)
    row.add(job.release?.to)
    row.add(job.release?.by)
    row.add(job.recognized?.job.rawValue)
    row.add(job.recognized?.sha256)
  } read: { job, reader in
    job.mayBeStored = reader.next()
    job.objectMayBeStale = reader.next()
    job.mayBeForgotten = reader.next()
    job.delaysSpent = reader.nextCount()
    job.failure = try FailureColumns.read(from: &reader)
    let (question, askedAt) = (reader.optionalMessage(), reader.optionalTime())
    job.question = question.map { Question($0, askedAt: askedAt ?? job.ticket.createdAt) }
    job.sendsDuplicate = reader.next()
    job.remote = try reader.nextOptionalCase()
    let (to, by): (String?, Caller?) = (reader.optional(), reader.optionalCaller())
    if let to, let by { job.release = Release(to: to, by: by) }
    let (earlier, sha256): (JobNumber?, String?) = (reader.optionalNumber(), reader.optional())
    if let earlier, let sha256 { job.recognized = Recognized(job: earlier, sha256: sha256) }
  }
}

/// Some of the groups of columns. An update names only those that changed, so that SQLite does not touch the indexes of other columns;
/// every update writes ``JobColumns/revision``.
struct ColumnGroups: OptionSet {
  let rawValue: Int

  static let step = ColumnGroups(rawValue: 1)
  static let progress = ColumnGroups(rawValue: 2)
  static let file = ColumnGroups(rawValue: 4)
  static let wait = ColumnGroups(rawValue: 8)
  static let end = ColumnGroups(rawValue: 16)

  static let inserted: ColumnGroups = [.step, .progress, .file, .end]

  private static let optional: [JobColumns] = [.step, .progress, .file, .wait, .end]

  /// All columns that change, in the order in which they are read and written. The first group is in every update.
  static let all: [JobColumns] = [.revision] + optional
  static let declared = all.flatMap(\.declared)

  init(rawValue: Int) { self.rawValue = rawValue }

  init(changedFrom old: Job, to job: Job) {
    self.init(rawValue: Self.optional.indices.reduce(0) { Self.optional[$1].differ(job, old) ? $0 | 1 << $1 : $0 })
  }

  var updateSQL: SQL { Self.statements[rawValue] }

  var names: [String] {
    ([.revision] + Self.optional.indices.filter(has).map { Self.optional[$0] }).flatMap(\.declared).names
  }

  /// Adds the values of these groups, in the order of ``names``.
  func write(_ job: Job, to row: inout Binding) {
    JobColumns.revision.write(job, &row)
    for index in Self.optional.indices where has(index) { Self.optional[index].write(job, &row) }
  }

  private func has(_ index: Int) -> Bool { rawValue & 1 << index != 0 }

  private static let statements: [SQL] = (0..<32).map { value in
    let groups = ColumnGroups(rawValue: value)
    // A disposal may be noted twice; the first note counts.
    let condition = groups == .end ? " AND disposed_at IS NULL" : ""
    return SQL("UPDATE job SET \(groups.names.assigned) WHERE number = ?\(condition)")
  }
}

/// The reason why a job's file is in its spool. It follows from the job, and is a column (`presence`) so that one index finds the jobs
/// of each kind.
enum FilePresence: Int {
  case unfinished = 0
  /// The job is over, and its file is to be disposed of.
  case undisposed = 1
  /// A person decides about the file: the job was aborted or cancelled.
  case stopped = 2
  /// The same, and a person takes the file back.
  case releasing = 3
}

extension JobState {
  /// True for the states that people look for: stopped, or waiting for a time, a person, a key or the network. The indexes on the column
  /// `noticed` cost nothing for a job that goes well.
  var isNoticed: Bool { isWaiting || phase == .stopped }
}

extension Job {
  /// The state if it is a noticed one: the column `noticed`.
  var noticed: JobState? { state.isNoticed ? state : nil }

  /// The column `presence`; nil once the file is gone.
  var presence: FilePresence? {
    guard disposedAt == nil else { return nil }
    switch state {
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork: return .unfinished
    case .registered, .skipped, .discarded: return .undisposed
    case .aborted, .cancelled:
      // A file that stays in place needs no decision.
      if ticket.parcel == .inPlace { return nil }
      return release == nil ? .stopped : .releasing
    }
  }
}

/// The ticket, in two tables: `job` has the facts by which jobs are searched, `ticket` those that are only read together with their job.
/// Only a late sidecar changes a row of `ticket`.
enum TicketColumns {
  /// The columns of `job`, as the table declares them.
  static let searched = [
    "id BLOB NOT NULL UNIQUE", "spool TEXT NOT NULL", "priority INTEGER NOT NULL", "created_at INTEGER NOT NULL",
  ]
  /// The columns of `ticket`. `withheld` has names of metadata that the object does not get, `captures` parts of the name.
  static let declared = [
    "name BLOB NOT NULL", "path BLOB", "storage TEXT NOT NULL", "backend TEXT NOT NULL", "bucket TEXT NOT NULL",
    "key TEXT NOT NULL", "content_type TEXT NOT NULL", "metadata TEXT", "parcel TEXT", "withheld TEXT", "captures TEXT",
  ]

  static func writeSearched(_ ticket: Ticket, to row: inout Binding) {
    row.add(ticket.id.ledgerBytes)
    row.add(ticket.spool)
    row.add(ticket.priority)
    row.add(ticket.createdAt.microseconds)
  }

  static func write(_ ticket: Ticket, to row: inout Binding) {
    row.add(ticket.name.bytes)
    row.add(ticket.path.isEmpty ? nil : ticket.path)
    row.add(ticket.storage)
    row.add(ticket.backend)
    row.add(ticket.bucket)
    row.add(ticket.key)
    row.add(ticket.contentType)
    row.add(text(of: ticket.metadata))
    row.add(ParcelColumn.text(of: ticket.parcel))
    row.add(text(of: Dictionary(ticket.withheld.map { ($0, "") }) { first, _ in first }))
    row.add(text(of: ticket.captures))
  }

  private static func text(of texts: [String: String]) -> String? {
    if texts.isEmpty { return nil }
    var text = JSONText()
    text.object { text in
      for (name, value) in texts.sorted(by: { $0.key < $1.key }) { text.member(name, value) }
    }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  /// Reads the columns of `job`, then those of `ticket`.
  static func read(from reader: inout ColumnReader) throws -> Ticket {
    let (id, spool): (JobID, String) = (try reader.nextID(), reader.next())
    let (priority, createdAt): (Int, Timestamp) = (reader.next(), reader.nextTime())
    return Ticket(
      id: id, spool: spool, name: FileName(bytes: reader.next()), path: reader.optional() ?? [],
      storage: reader.next(), backend: reader.next(), bucket: reader.next(), key: reader.next(),
      contentType: reader.next(), metadata: try texts(reader.optional()), priority: priority, createdAt: createdAt,
      parcel: try ParcelColumn.parcel(reader.optional()), withheld: try texts(reader.optional()).keys.sorted(),
      captures: try texts(reader.optional()))
  }

  private static func texts(_ text: String?) throws -> [String: String] {
    guard let text else { return [:] }
    do {
      let members = try JSONReader.object(Array(text.utf8)).members.map { ($0.name, try $0.value.text()) }
      return Dictionary(uniqueKeysWithValues: members)
    } catch {
      throw LedgerError(.configuration, "the ledger has the metadata \"\(text.prefix(200))\", which is not known")
    }
  }
}
