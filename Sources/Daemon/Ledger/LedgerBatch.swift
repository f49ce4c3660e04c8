package import Jobs
import Linux
import Messages
import SQLite

/// One transaction. Each change sees the earlier changes of the same batch.
/// A batch lives only inside the writer. Memory follows the disk: a batch that is not committed leaves nothing in memory. A row that
/// changes more than once is written once, when the batch is closed or the rows are read.
struct LedgerBatch: ~Copyable {
  let db: Database
  let clock: Clock
  var memory: LedgerMemory { didSet { memoryChanges &+= 1 } }
  private var memoryChanges = 0
  private(set) var events: [JobEvent] = []
  private(set) var occurrences: [Occurrence] = []
  private(set) var untold: [Attempt] = []
  private let start: LedgerMemory.Position
  private var changed: ChangedJobs
  private var deferredChanged = false
  private var cleanupsChanged = false

  var counts: LedgerCounts {
    _read { yield memory.position.counts }
    _modify { yield &memory.position.counts }
  }

  var changedNumbers: [JobNumber] { changed.numbers }

  init(db: Database, clock: Clock, memory: consuming LedgerMemory) {
    self.db = db
    self.clock = clock
    self.start = memory.position
    self.changed = exchange(&memory.changed, with: ChangedJobs())
    self.memory = memory
    assert(changed.isWritten && changed.numbers.isEmpty, "changes of another batch")
    assert(start.changedGates.isEmpty, "a gate of another batch")
  }

  /// The numbers of changes so far, on disk and in memory. If they are equal at two moments, nothing was changed between them.
  var trace: (rows: Int, memory: Int) { (db.totalChanges, memoryChanges) }

  func job(_ number: JobNumber) throws -> Job? {
    try changed[number] ?? memory.active[number] ?? JobRow.job(number, in: db)
  }

  func inFlight(at destination: Destination) -> Set<JobNumber> {
    Set(
      memory.active.values.lazy.filter { [counts] in
        $0.destination == destination || counts.grantors[$0.destination] == destination
      }.map(\.number))
  }

  mutating func number(of reference: JobReference) throws -> JobNumber? {
    switch reference {
    case .number(let number): return number
    case .onHost: return nil
    case .id(let id):
      try write()
      return try JobRow.number(of: id, in: db)
    }
  }

  /// Makes jobs of claimed files. If an id is known already, its job gets the sidecar that came with the file, if the job asks about one.
  mutating func admit(_ admissions: [Admission]) throws {
    try write()
    var ids: Set<JobID> = []
    for admission in admissions {
      if try JobRow.number(of: admission.id, in: db) != nil {
        try join(admission)
        continue
      }
      guard ids.insert(admission.id).inserted else { continue }
      let number = JobNumber(rawValue: memory.position.lastNumber +| 1)
      let ticket = admission.ticket(number)
      if let file = admission.kept, try !keep(file, of: ticket, as: number) { continue }
      var job = Job(number: number, ticket: ticket, identity: admission.identity)
      (job.mayBeStored, job.mayBeForgotten) = (admission.mayBeStored, admission.mayBeForgotten)
      memory.position.lastNumber = number.rawValue
      job.lastEvent = nextSequence()
      track(job, before: nil)
      counts.lastFiles[ticket.spool] = ticket.createdAt
      try record(JobEvent(at: clock.now(), kind: .admitted, step: .upload, job: job), of: job, after: 0)
      if let question = admission.mustAsk { _ = try apply(.mustAsk(question), to: job) }
    }
  }

  private mutating func join(_ admission: Admission) throws {
    guard let joined = admission.joined, let number = try number(of: .id(admission.id)), let job = try job(number),
      job.awaitsSidecar
    else { return }
    let own = Caller(uid: ProcessRights.user, user: "waybilld")
    _ = try apply(.joined(joined(job), asks: admission.mustAsk, by: own), to: job)
  }

  /// Folds an input into a job and notes the effects; returns nil if the input came too late to matter.
  mutating func apply(_ input: JobInput, to job: Job) throws -> Job? {
    var now = job
    guard let transition = try now.apply(input, now: clock.now(), steady: clock.steady()) else { return nil }
    assert(now.number == job.number && now.ticket.id == job.ticket.id, "a change made another job of it")
    assert(now.revision >= job.revision, "a revision falls")
    assert(
      now.state != .registered || job.state == .registered || now.stored != nil && now.registration != nil,
      "a job is registered without both receipts")
    if transition.event != nil || transition.attempt != nil { now.lastEvent = nextSequence() }
    track(now, before: job)
    if job.state == .active, now.state != .active, !input.endsAttempt { counts.withdraw(job) }
    if let change = transition.cleanup { try applyCleanup(change, of: job) }
    try record(transition.event, endOf: transition.attempt, of: now, after: job.lastEvent)
    if job.state == .deferred || now.state == .deferred { deferredChanged = true }
    if !memory.position.waitForNames.isEmpty, !JobLedger.isOpen(now.state, now.failure?.code) {
      try giveName(of: now.number)
    }
    return now
  }

  /// Begins jobs that are due and not held: at the destination with the fewest in flight first, there by priority, then by number. A large
  /// upload that must wait lets others go first.
  mutating func beginDue(upTo limit: Int, in lanes: Lanes) throws -> [Job] {
    try wakeDue()
    passTimeAtGates()
    var begun: [Job] = []
    var exhausted: Set<Destination> = []
    while begun.count < limit, let job = try beginNext(in: lanes, besides: &exhausted) { begun.append(job) }
    // A damaged row has two destinations: the counts are wrong once its job has left the queue.
    if begun.isEmpty, counts.canStart(in: lanes) { try readQueues() }
    assert(begun.allSatisfy { memory.active[$0.number]?.attempt == $0.attempt }, "an attempt is not in flight")
    return begun
  }

  private mutating func beginNext(in lanes: Lanes, besides exhausted: inout Set<Destination>) throws -> Job? {
    while let destination = counts.nextDestination(in: lanes, besides: exhausted) {
      if let job = try takeNext(at: destination, in: lanes), let active = try begin(job) {
        // A damaged row has two destinations. Its job must not be found again as it was.
        if active.destination != destination { memory.heads.forget() }
        return active
      }
      exhausted.insert(destination)
    }
    return nil
  }

  /// Returns the first queued job of a destination, without jobs of paused spools. If `withLarge` is false, it passes
  /// over uploads of large files.
  mutating func head(at destination: Destination, withLarge: Bool) throws -> Job? {
    let small = try head(at: destination, isLarge: false)
    guard withLarge, let large = try head(at: destination, isLarge: true) else { return small }
    guard let small, QueueHead.precedes(small, large) else { return large }
    return small
  }

  private mutating func head(at destination: Destination, isLarge: Bool) throws -> Job? {
    guard counts.queued(at: destination, isLarge: isLarge) > 0 else { return nil }
    if let job = memory.heads[destination, isLarge].first { return job }
    try write()
    let sql = counts.pauses.isEmpty ? Self.firstQueued : Self.firstUnpaused
    let refill = min(QueueHead.refill, memory.heads.limit)
    let first = try db.all(sql, [destination.text, isLarge, refill], JobRow.job)
    memory.heads[destination, isLarge].refill(first, isWhole: first.count < refill)
    return first.first
  }

  /// Uses the index `job_queued`.
  static let firstQueued = selectQueued(isPaused: false)
  static let firstUnpaused = selectQueued(isPaused: true)

  private static func selectQueued(isPaused: Bool) -> String {
    """
    \(JobRow.select) WHERE job.state = 'queued' AND job.destination = ? \
    AND \(LedgerSchema.Condition.isLargeUpload) = ? \(isPaused ? "AND \(LedgerSchema.Condition.isUnpaused()) " : "")\
    AND NOT (\(LedgerSchema.Condition.waitsForCleanup)) ORDER BY job.priority DESC, job.number LIMIT ?
    """
  }

  private mutating func wakeDue() throws {
    guard let due = counts.nextDue, due <= clock.steady() else { return }
    deferredChanged = true
    let jobs = try jobs(
      "\(LedgerSchema.Condition.deferred) AND next_attempt_at <= ? ORDER BY next_attempt_at LIMIT 256",
      [clock.steady().microseconds])
    for job in jobs { _ = try apply(.due, to: job) }
  }

  mutating func jobs(_ condition: String, _ arguments: [(any Bindable)?]) throws -> [Job] {
    try write()
    return try db.all("\(JobRow.select) WHERE \(condition)", arguments, JobRow.job)
  }

  /// Writes the rows that are left and reads the times that must be known when the batch is committed.
  mutating func close() throws {
    try write()
    if deferredChanged || !memory.position.changedGates.isEmpty { try CarriedTimes.note(clock.steady(), in: db) }
    try writeGates()
    if cleanupsChanged { counts.nextCleanups = try CleanupRow.nextTimes(db) }
    guard deferredChanged else { return }
    counts.nextDue = try JobRow.nextDue(in: db)
  }

  /// Moves the memory out after the commit: a copy would duplicate all tables.
  mutating func committed() -> LedgerMemory {
    assert(changed.isWritten, "a job changed after its row was written")
    assert(memory.position.changedGates.isEmpty, "a gate changed after its row was written")
    assert(counts.inFlight.total == memory.active.count + counts.cleaning.total, "a slot is lost, or taken twice")
    assert(counts.lastEvent >= start.counts.lastEvent, "the log has become shorter")
    assert(memory.position.lastNumber >= start.lastNumber, "a number may come again")
    assert(memory.active.values.allSatisfy { $0.state == .active }, "a job in memory is not in flight")
    giveBack()
    return exchange(&memory, with: LedgerMemory())
  }

  mutating func rolledBack() -> LedgerMemory {
    memory.position = start
    for (number, job) in changed.begunOrEnded.reversed() { memory.active[number] = job }
    memory.heads.forget()
    giveBack()
    return exchange(&memory, with: LedgerMemory())
  }

  private mutating func giveBack() {
    changed.removeAll()
    memory.changed = exchange(&changed, with: ChangedJobs())
  }

  private mutating func track(_ job: Job, before: Job?) {
    assert(memory.active[job.number] == nil || before?.state == .active, "another state of a job in flight")
    if job.state == .active || before?.state == .active {
      changed.begunOrEnded.append((job.number, memory.active[job.number]))
      memory.active[job.number] = job.state == .active ? job : nil
    }
    changed.add(job, before: before)
    if let before, before.state == .queued { memory.heads[before.destination, before.isLargeUpload].remove(before) }
    counts.move(job, from: before)
    if job.state == .queued, !job.waitsForCleanup, !counts.pausedSpools.contains(job.ticket.spool) {
      let isLarge = job.isLargeUpload
      let (isOnly, limit) = (counts.queued(at: job.destination, isLarge: isLarge) == 1, memory.heads.limit)
      memory.heads[job.destination, isLarge].add(job, isOnly: isOnly, upTo: limit)
    }
  }

  mutating func write() throws {
    guard !changed.isWritten else { return }
    try changed.write { before, now in
      if let before { try JobRow.update(now, from: before, in: db) } else { try JobRow.insert(now, into: db) }
      #if DEBUG || SIMULATION
        try JobRow.check(now, in: db)
      #endif
    }
  }

  mutating func cleanupsDidChange() { cleanupsChanged = true }

  mutating func left(_ job: Job) {
    precondition(
      job.state.phase == .done && job.disposedAt != nil, "job \(job.number) leaves, and its file may be there")
    changed.note(job.number)
    counts.jobs.add(job.step, job.state, jobs: -1, bytes: -Int128(job.identity.size))
  }

  /// Takes the next sequence of the log. An attempt without an event takes one too, so that no reader is ahead of the log.
  private mutating func nextSequence() -> Int64 {
    counts.lastEvent +|= 1
    return counts.lastEvent
  }

  private mutating func record(
    _ event: JobEvent?, endOf attempt: Attempt? = nil, of job: Job, after previous: Int64
  ) throws {
    guard event != nil || attempt != nil else { return }
    assert(job.lastEvent == counts.lastEvent, "an entry before the end of the log")
    try EventRow.insert(event, endOf: attempt, of: job, after: previous, into: db)
    if var event {
      (event.job.lastEvent, event.sequence) = (job.lastEvent, job.lastEvent)
      events.append(event)
    } else if let attempt {
      untold.append(attempt)
    }
  }

  /// Records an event of a gate or a pause, for all observers of the commit.
  mutating func publish(_ occurrence: Occurrence) throws {
    try record(occurrence)
    var occurrence = occurrence
    occurrence.sequence = counts.lastEvent
    occurrences.append(occurrence)
  }

  mutating func record(_ occurrence: Occurrence) throws {
    var occurrence = occurrence
    occurrence.sequence = nextSequence()
    try EventRow.insert(occurrence, into: db)
    try EventRow.removeOld(db, last: occurrence.sequence)
  }
}

extension JobInput {
  fileprivate var endsAttempt: Bool {
    if case .finished = self { true } else { false }
  }
}

/// A claimed file that is to become a job.
package struct Admission: Sendable {
  let id: JobID
  let identity: FileIdentity
  /// The reason why a person must decide before the job's first attempt; nil if it begins by itself.
  let mustAsk: Failure?
  /// The file that stays where it is, for the list of sent files; nil if it was claimed by a rename.
  let kept: KeptFile?
  /// True if an earlier job of this id may have stored the object, because the ledger may have forgotten it: HEAD comes first.
  package var mayBeStored = false
  /// True if a job that this ledger does not know may have had the id.
  package var mayBeForgotten = false
  let ticket: @Sendable (JobNumber) -> Ticket
  /// Returns the ticket of a job that asks about the sidecar of this claim; nil if the claim has none.
  package var joined: (@Sendable (Job) -> Ticket)?

  package init(
    id: JobID, identity: FileIdentity, mustAsk: Failure? = nil, kept: KeptFile? = nil,
    ticket: @escaping @Sendable (JobNumber) -> Ticket
  ) {
    self.kept = kept
    self.id = id
    self.identity = identity
    self.mustAsk = mustAsk
    self.ticket = ticket
  }
}

/// The jobs that a batch changed. Batches reuse the memory.
struct ChangedJobs: Sendable {
  /// The number of changes beyond which memory is given back.
  private static let mostReused = 256

  /// The jobs as they are in their rows, and as they are now, if that is not yet written; in order.
  private var unwritten: [(before: Job?, now: Job)] = []
  private var indices: [JobNumber: Int] = [:]
  /// The jobs that began or ended an attempt, as they were in flight before that; nil if they were not.
  var begunOrEnded: [(JobNumber, Job?)] = []
  private(set) var numbers: [JobNumber] = []

  var isWritten: Bool { unwritten.isEmpty }

  subscript(number: JobNumber) -> Job? { indices[number].map { unwritten[$0].now } }

  /// Takes in a change; `before` is nil for a new job.
  mutating func add(_ job: Job, before: Job?) {
    note(job.number)
    if let index = indices[job.number] {
      unwritten[index].now = job
    } else {
      indices[job.number] = unwritten.count
      unwritten.append((before, job))
    }
  }

  mutating func note(_ number: JobNumber) {
    if numbers.last != number { numbers.append(number) }
  }

  /// Calls the body for each change that is not yet written, and counts them as written.
  mutating func write(_ body: (_ before: Job?, _ now: Job) throws -> Void) rethrows {
    for (before, now) in unwritten { try body(before, now) }
    indices.removeAll(keepingCapacity: indices.count <= Self.mostReused)
    unwritten.removeAll(keepingCapacity: unwritten.count <= Self.mostReused)
  }

  mutating func removeAll() {
    write { _, _ in }
    numbers = []
    begunOrEnded.removeAll(keepingCapacity: begunOrEnded.count <= Self.mostReused)
  }
}
