import GRDB
public import Jobs

/// One transaction: what changes in it, seen by those who come later in the same batch.
///
/// Lives only inside the writer. Memory follows the disk: nothing here reaches ``LedgerMemory`` before the commit.
struct LedgerBatch {
  let db: Database
  let clock: Clock
  private(set) var memory: LedgerMemory
  private(set) var events: [JobEvent] = []
  private var deferredChanged = false

  init(db: Database, clock: Clock, memory: LedgerMemory) {
    self.db = db
    self.clock = clock
    self.memory = memory
  }

  func job(_ number: JobNumber) throws -> Job? {
    if let job = memory.active[number] { return job }
    let statement = try db.cachedStatement(sql: "SELECT \(JobRow.columns) FROM job WHERE number = ?")
    return try Row.fetchOne(statement, arguments: [number.rawValue]).map(JobRow.job)
  }

  func number(of reference: JobReference) throws -> JobNumber? {
    switch reference {
    case .number(let number): return number
    case .id(let id):
      let statement = try db.cachedStatement(sql: "SELECT number FROM job WHERE id = ?")
      return try Int64.fetchOne(statement, arguments: [id.ledgerBytes]).map(JobNumber.init(rawValue:))
    }
  }

  /// Makes a job of a claimed file; nil where the id is known already.
  mutating func admit(_ admission: Admission) throws -> Job? {
    guard try number(of: .id(admission.id)) == nil else { return nil }
    let number = JobNumber(rawValue: memory.lastNumber + 1)
    let job = Job(number: number, ticket: admission.ticket(number), identity: admission.identity)
    memory.lastNumber = number.rawValue
    try JobRow.insert(job, into: db)
    memory.counts.enter(job)
    try record(JobEvent(at: clock.now(), kind: .admitted, step: .upload, job: job))
    return job
  }

  /// Folds an input into a job and writes what came of it; nil where it came too late to matter.
  mutating func apply(_ input: JobInput, to job: Job) throws -> Job? {
    var changed = job
    guard let transition = try changed.apply(input, now: clock.now(), steady: clock.steady()) else { return nil }
    try JobRow.update(changed, from: job, in: db)
    if let attempt = transition.attempt { try JobRow.insert(attempt, of: job.number, into: db) }
    if let event = transition.event { try record(event) }
    memory.counts.leave(job)
    memory.counts.enter(changed)
    memory.active[job.number] = changed.state == .active ? changed : nil
    if job.state == .deferred || changed.state == .deferred { deferredChanged = true }
    return changed
  }

  /// Begins what is due, register before upload, then by priority, then by number.
  mutating func take(upTo limit: Int, from destinations: [String]) throws -> [Job] {
    try wakeDue()
    var begun: [Job] = []
    for destination in destinations {
      guard begun.count < limit else { break }
      guard memory.counts.queued[destination, default: 0] > 0 else { continue }
      let statement = try db.cachedStatement(
        sql: """
          SELECT \(JobRow.columns) FROM job WHERE state = 'queued' AND destination = ? \
          ORDER BY priority DESC, number LIMIT ?
          """)
      for row in try Row.fetchAll(statement, arguments: [destination, limit - begun.count]) {
        if let job = try apply(.begin, to: JobRow.job(row)) { begun.append(job) }
      }
    }
    return begun
  }

  /// Queues the deferred jobs whose time has come: a bounded number at once, the rest in the next batch.
  private mutating func wakeDue() throws {
    guard let due = memory.counts.nextDue, due <= clock.steady() else { return }
    deferredChanged = true
    let statement = try db.cachedStatement(
      sql: """
        SELECT \(JobRow.columns) FROM job WHERE state = 'deferred' AND next_attempt_at <= ? \
        ORDER BY next_attempt_at LIMIT 256
        """)
    for row in try Row.fetchAll(statement, arguments: [clock.steady().microseconds]) {
      _ = try apply(.due, to: JobRow.job(row))
    }
  }

  /// What has to be known when the batch is committed.
  mutating func close() throws {
    guard deferredChanged else { return }
    let statement = try db.cachedStatement(sql: "SELECT MIN(next_attempt_at) FROM job WHERE state = 'deferred'")
    memory.counts.nextDue = try Int64.fetchOne(statement).map(Timestamp.init(microseconds:))
  }

  private mutating func record(_ event: JobEvent) throws {
    var event = event
    memory.lastSequence += 1
    event.sequence = memory.lastSequence
    try JobRow.insert(event, into: db)
    events.append(event)
    memory.counts.lastEvent = event.sequence
  }
}

/// A claimed file that is to become a job.
public struct Admission: Sendable {
  let id: JobID
  let identity: FileIdentity
  let ticket: @Sendable (JobNumber) -> Ticket

  /// A claim, and what to fix once its number is known.
  public init(id: JobID, identity: FileIdentity, ticket: @escaping @Sendable (JobNumber) -> Ticket) {
    self.id = id
    self.identity = identity
    self.ticket = ticket
  }
}
