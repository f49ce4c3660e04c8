import Jobs
import SQLite

/// A job in the tables: its rows of `job` and `ticket`, and the receipts of servers.
enum JobRow {
  static let select: String = {
    let columns: [(table: String, declared: [String])] = [
      ("job", ["number"] + TicketColumns.searched), ("ticket", TicketColumns.declared), ("job", ColumnGroups.declared),
      ("trouble", JobColumns.trouble.declared), ("stored", StoredColumns.declared),
      ("registration", RegistrationColumns.declared),
      ("member", MultipartColumns.declared),
    ]
    let names = columns.flatMap { table, declared in declared.names.map { "\(table).\($0)" } }
    // A `CROSS JOIN` keeps SQLite from beginning with the tickets.
    return """
      SELECT \(names.listed) FROM job CROSS JOIN ticket ON ticket.job = job.number \
      LEFT JOIN trouble ON trouble.job = job.number LEFT JOIN stored ON stored.job = job.number LEFT JOIN registration ON registration.job = job.number \
      LEFT JOIN member ON member.job = job.number AND member.path = x''
      """
  }()

  private static let nothing = FileIdentity(device: 0, inode: 0, size: 0, modified: 0, changed: 0)

  static func job(_ row: Row) throws -> Job {
    var reader = ColumnReader(row: row)
    let number = JobNumber(rawValue: reader.next())
    let ticket = try TicketColumns.read(from: &reader)
    var job = Job(number: number, ticket: ticket, identity: Self.nothing)
    for group in ColumnGroups.all { try group.read(&job, &reader) }
    try JobColumns.trouble.read(&job, &reader)
    job.stored = try StoredColumns.read(ticket, from: &reader)
    job.registration = RegistrationColumns.read(from: &reader)
    job.multipart = MultipartColumns.read(from: &reader)
    return job
  }

  /// The parameter is an array of JSON, so that one statement reads many jobs.
  private static let selectMany = select + " WHERE job.number IN (SELECT value FROM json_each(?))"

  static func jobs(_ numbers: [JobNumber], in db: Database) throws -> [Job] {
    if numbers.isEmpty { return [] }
    return try db.all(selectMany, ["[\(numbers.map(\.description).joined(separator: ","))]"], job)
  }

  static func number(of id: JobID, in db: Database) throws -> JobNumber? {
    try (db.value("SELECT number FROM job WHERE id = ?", [id.ledgerBytes]) as Int64?).map(JobNumber.init(rawValue:))
  }

  private static let selectOne = select + " WHERE job.number = ?"

  static func job(_ number: JobNumber, in db: Database) throws -> Job? {
    try db.first(selectOne, [number.rawValue], job)
  }
}

extension JobRow {
  /// Marks jobs at step 1 as perhaps stored, because the ledger may have forgotten attempts.
  static func distrustUploads(in db: Database) throws {
    try db.execute(
      """
      INSERT INTO trouble (job, may_be_stored, may_be_forgotten) \
      SELECT number, 1, 1 FROM job WHERE \(LedgerSchema.Condition.needsFile) AND job.step = 'upload' \
      ON CONFLICT DO UPDATE SET may_be_stored = 1, may_be_forgotten = 1
      """)
  }

  static func nextDue(in db: Database) throws -> Timestamp? {
    let due: Int64? = try db.value(selectNextDue)
    return due.map(Timestamp.init(microseconds:))
  }

  static let selectNextDue = "SELECT MIN(next_attempt_at) FROM job WHERE \(LedgerSchema.Condition.deferred)"

  /// The columns of a usual new job; an update writes any others.
  private static let insertSQL = SQL.insertion(
    into: "job", ["number"] + TicketColumns.searched.names + ColumnGroups.inserted.names)
  private static let ticketSQL = SQL.insertion(into: "ticket", ["job"] + TicketColumns.declared.names, replacing: true)
  private static let storedSQL = SQL.insertion(into: "stored", ["job"] + StoredColumns.declared.names, replacing: true)
  private static let troubleSQL = SQL.insertion(
    into: "trouble", ["job"] + JobColumns.trouble.declared.names, replacing: true)
  private static let registrationSQL = SQL.insertion(
    into: "registration", ["job"] + RegistrationColumns.declared.names, replacing: true)

  static func insert(_ job: Job, into db: Database) throws {
    var row = try db.binding(insertSQL)
    row.add(job.number.rawValue)
    TicketColumns.writeSearched(job.ticket, to: &row)
    ColumnGroups.inserted.write(job, to: &row)
    try row.run()
    try writeRow(ticketSQL, of: job.number, into: db) { row in TicketColumns.write(job.ticket, to: &row) }
    let new = Job(number: job.number, ticket: job.ticket, identity: job.identity)
    let groups = ColumnGroups(changedFrom: new, to: job).subtracting(.inserted)
    if !groups.isEmpty { try write(groups, of: job, into: db) }
    try writeRest(of: job, from: new, in: db)
  }

  /// Updates no row if the job has left the ledger.
  static func update(_ job: Job, from old: Job, in db: Database) throws {
    try write(ColumnGroups(changedFrom: old, to: job), of: job, into: db)
    try writeRest(of: job, from: old, in: db)
  }

  #if DEBUG || SIMULATION
    /// Checks that a job's row has what its next attempt and its end depend on; not after a disposal, which may be noted twice.
    static func check(_ job: Job, in db: Database) throws {
      guard job.disposedAt == nil, max(job.revision, job.lastEvent) < ColumnReader.Bounds.number.upperBound,
        let row = try Self.job(job.number, in: db)
      else { return }
      assert((row.state, row.step, row.revision) == (job.state, job.step, job.revision), "\(row) is not \(job)")
      assert(row.lastEvent == job.lastEvent && row.identity == job.identity, "\(row) is not \(job)")
      assert((row.mayBeStored, row.nextAttemptAt) == (job.mayBeStored, job.nextAttemptAt), "\(row) is not \(job)")
      assert((row.stored?.link, row.stored?.body) == (job.stored?.link, job.stored?.body), "\(row) is not \(job)")
      assert((row.multipart?.id, row.remote) == (job.multipart?.id, job.remote), "\(row) is not \(job)")
      assert(row.failure?.grantor == job.failure?.grantor, "\(row) is not \(job)")
    }
  #endif

  private static func write(_ groups: ColumnGroups, of job: Job, into db: Database) throws {
    var row = try db.binding(groups.updateSQL)
    groups.write(job, to: &row)
    row.add(job.number.rawValue)
    try row.run()
  }

  private static func writeRest(of job: Job, from old: Job, in db: Database) throws {
    if job.ticket != old.ticket {
      try writeRow(ticketSQL, of: job.number, into: db) { row in TicketColumns.write(job.ticket, to: &row) }
    }
    if let stored = job.stored, stored != old.stored {
      try writeRow(storedSQL, of: job.number, into: db) { row in StoredColumns.write(stored, to: &row) }
    }
    if let registration = job.registration, registration != old.registration {
      try writeRow(registrationSQL, of: job.number, into: db) { RegistrationColumns.write(registration, to: &$0) }
    }
    if JobColumns.trouble.differ(old, job) {
      try writeRow(troubleSQL, of: job.number, into: db) { row in JobColumns.trouble.write(job, &row) }
    }
    if job.failure != old.failure { try write(job.failure, insteadOf: old.failure, of: job.number, into: db) }
    if job.multipart != old.multipart { try MemberRow.write(job.multipart, of: job.number, into: db) }
  }

  private static func writeRow(
    _ sql: SQL, of job: JobNumber, into db: Database, _ write: (inout Binding) throws -> Void
  ) throws {
    var row = try db.binding(sql)
    row.add(job.rawValue)
    try write(&row)
    try row.run()
  }

  private static func write(
    _ failure: Failure?, insteadOf old: Failure?, of job: JobNumber, into db: Database
  ) throws {
    if let answer = failure?.answer {
      try db.execute("INSERT OR REPLACE INTO answer VALUES (?, ?)", [job.rawValue, answer])
    } else if old != nil {
      try db.execute("DELETE FROM answer WHERE job = ?", [job.rawValue])
    }
  }
}
