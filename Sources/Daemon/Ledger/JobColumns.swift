import Jobs
import Messages
import SQLite

/// A group of columns of `job` that change: the one place that knows their names and their order within the group, for writing and
/// for reading. ``ColumnGroups`` has the order of the groups.
protocol JobColumns {
  /// The names, in order.
  static var names: [String] { get }
  /// Adds a value for each column, in order.
  static func write(_ job: Job, to row: inout Binding)
  /// Reads the same columns.
  ///
  /// - Throws: ``LedgerError`` for a value that this program does not know.
  static func read(_ job: inout Job, from reader: inout ColumnReader) throws
}

/// The columns that every change writes.
enum RevisionColumns: JobColumns {
  static let names = ["revision", "last_event", "updated_at"]

  static func write(_ job: Job, to row: inout Binding) {
    row.add(job.revision)
    row.add(job.lastEvent)
    row.add(job.updatedAt.microseconds)
  }

  static func read(_ job: inout Job, from reader: inout ColumnReader) throws {
    job.revision = reader.next(in: ColumnReader.Bounds.number)
    job.lastEvent = reader.next(in: ColumnReader.Bounds.number)
    job.updatedAt = reader.optionalTime() ?? job.ticket.createdAt
  }
}

/// The step of a job, which changes once or twice.
enum StepColumns: JobColumns {
  static let names = ["step", "destination"]

  static func write(_ job: Job, to row: inout Binding) {
    row.add(job.step.rawValue)
    row.add(job.destination.text)
  }

  static func read(_ job: inout Job, from reader: inout ColumnReader) throws {
    job.step = try reader.nextCase()
    reader.skip()  // The destination follows from ticket and step; it is a column for the indexes.
  }
}

/// The place of a job at its step.
enum ProgressColumns: JobColumns {
  static let names = ["state", "upload_tries", "register_tries", "attempt_started_at"]

  static func write(_ job: Job, to row: inout Binding) {
    row.add(job.state.rawValue)
    row.add(job.tries.upload)
    row.add(job.tries.register)
    row.add(job.attemptStartedAt?.microseconds)
  }

  static func read(_ job: inout Job, from reader: inout ColumnReader) throws {
    job.state = try reader.nextCase()
    job.tries = Tries(upload: reader.nextCount(), register: reader.nextCount())
    job.attemptStartedAt = reader.optionalTime()
  }
}

/// The file, and the object that may be at the storage.
enum FileColumns: JobColumns {
  static let names = IdentityColumns.names() + ["may_be_stored", "object_may_be_stale", "may_be_forgotten"]

  static func write(_ job: Job, to row: inout Binding) {
    IdentityColumns.write(job.identity, to: &row)
    row.add(job.mayBeStored)
    row.add(job.objectMayBeStale)
    row.add(job.mayBeForgotten)
  }

  static func read(_ job: inout Job, from reader: inout ColumnReader) throws {
    job.identity = IdentityColumns.read(from: &reader)
    job.mayBeStored = reader.next()
    job.objectMayBeStale = reader.next()
    job.mayBeForgotten = reader.next()
  }
}

/// The state once more, if it is one that people look for; the last failure, what follows from it, and the question about it.
enum TroubleColumns: JobColumns {
  static let names =
    ["noticed", "delays_spent", "next_attempt_at"] + FailureColumns.names + ["question", "asked_at", "sends_duplicate"]

  static func write(_ job: Job, to row: inout Binding) {
    row.add(job.noticed?.rawValue)
    row.add(job.delaysSpent)
    row.add(job.nextAttemptAt?.microseconds)
    FailureColumns.write(job.failure, to: &row)
    row.add(job.question?.message.stored)
    row.add(job.question?.askedAt.microseconds)
    row.add(job.sendsDuplicate)
  }

  static func read(_ job: inout Job, from reader: inout ColumnReader) throws {
    reader.skip()  // The noticed state follows from the state; it is a column for the indexes.
    job.delaysSpent = reader.nextCount()
    job.nextAttemptAt = reader.optionalTime()
    job.failure = try FailureColumns.read(from: &reader)
    let (question, askedAt) = (reader.optionalMessage(), reader.optionalTime())
    job.question = question.map { Question($0, askedAt: askedAt ?? job.ticket.createdAt) }
    job.sendsDuplicate = reader.next()
  }
}

/// The end of a job, and the release of its file.
enum EndColumns: JobColumns {
  static let names = [
    "remote", "finished_at", "release_to", "release_by_uid", "release_by_user", "same_as", "same_sha256",
  ]

  static func write(_ job: Job, to row: inout Binding) {
    row.add(job.remote?.rawValue)
    row.add(job.finishedAt?.microseconds)
    row.add(job.release?.to)
    row.add(job.release?.by)
    row.add(job.recognized?.job.rawValue)
    row.add(job.recognized?.sha256)
  }

  static func read(_ job: inout Job, from reader: inout ColumnReader) throws {
    job.remote = try reader.nextOptionalCase()
    job.finishedAt = reader.optionalTime()
    let (to, by): (String?, Caller?) = (reader.optional(), reader.optionalCaller())
    if let to, let by { job.release = Release(to: to, by: by) }
    let (earlier, sha256): (JobNumber?, String?) = (reader.optionalNumber(), reader.optional())
    if let earlier, let sha256 { job.recognized = Recognized(job: earlier, sha256: sha256) }
  }
}

/// The job's file: why it is in the spool, and when it went.
enum DisposalColumns: JobColumns {
  static let names = ["presence", "disposed_at"]

  static func write(_ job: Job, to row: inout Binding) {
    row.add(FilePresence(of: job)?.rawValue)
    row.add(job.disposedAt?.microseconds)
  }

  static func read(_ job: inout Job, from reader: inout ColumnReader) throws {
    reader.skip()  // The presence follows from the rest; it is a column for the indexes.
    job.disposedAt = reader.optionalTime()
  }
}

/// The ticket, which never changes. It is in two tables: `job` has the facts by which jobs are
/// searched, `ticket` those that are only read together with their job.
enum TicketColumns {
  /// The columns of `job`.
  static let searched = ["id", "spool", "priority", "created_at"]
  /// The columns of `ticket`.
  static let names = [
    "name", "path", "storage", "backend", "bucket", "key", "content_type", "metadata", "parcel", "withheld", "captures",
  ]

  static func writeSearched(_ ticket: Ticket, to row: inout Binding) {
    row.add(ticket.id.ledgerColumn)
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
    let id = try reader.nextID()
    let spool: String = reader.next()
    let priority: Int = reader.next()
    let createdAt = reader.nextTime()
    let name: [UInt8] = reader.next()
    let path: [UInt8]? = reader.optional()
    let storage: String = reader.next()
    let backend: String = reader.next()
    let bucket: String = reader.next()
    let key: String = reader.next()
    let contentType: String = reader.next()
    let metadata: String? = reader.optional()
    return Ticket(
      id: id, spool: spool, name: FileName(bytes: name), path: path ?? [], storage: storage,
      backend: backend, bucket: bucket, key: key, contentType: contentType,
      metadata: try texts(metadata),
      priority: priority, createdAt: createdAt,
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
