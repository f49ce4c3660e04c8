import Jobs
import Messages
import SQLite

/// The memory of the writer between two commits.
struct LedgerMemory: Sendable {
  /// The position of the ledger: small, so that a batch can keep a copy to go back to.
  struct Position: Sendable {
    var lastNumber: Int64 = 0
    var counts = LedgerCounts()
    var changedGates: Set<Destination> = []
    var successes: [Destination: LastSuccess] = [:]
    /// The jobs that wait for the name of their file, by the job that holds it.
    var waitForNames: [JobNumber: Set<JobNumber>] = [:]
  }

  /// The jobs in flight, so that their results need no reading; at most as many as there are slots.
  var active: [JobNumber: Job] = [:]
  var heads = HeadTable()
  var position = Position()
  /// The number of rows that say that their jobs are unfinished, as last counted.
  private(set) var unfinished = 0
  /// Memory for the changes of a batch; empty between two.
  var changed = ChangedJobs()

  init() {}

  /// Reads the memory at the start, after ``LedgerOpening`` has ended the attempts that were in flight; changes keep it up to
  /// date from then on.
  init(reading db: Database, at steady: Timestamp) throws {
    let last = try LastNumbers.read(db)
    position.lastNumber = last.jobs
    position.counts.lastEvent = last.events
    position.counts.pauses = try PauseRow.read(db)
    position.counts.gates = try GateRow.read(db, steady)
    try tally(db)
    try recount(db)
    position.counts.nextCleanups = try CleanupRow.nextTimes(db)
    assert(active.isEmpty && position.counts.inFlight.total == 0, "an attempt outlived its daemon")
  }

  /// Counts all jobs by state and step, and finds the last one of each spool.
  private mutating func tally(_ db: Database) throws {
    position.counts.jobs = JobTally()
    var end: Int64 = 0
    while let start: Int64 = try db.value("SELECT min(number) FROM job WHERE number > ?", [end]) {
      // some at a time: SQLite sorts them in order to group them, and would sort a million in files
      end = start +| 4095
      var rows = try db.rows(
        """
        SELECT state, step, count(*), sum(size >> 32), sum(size & 0xFFFFFFFF), spool, max(created_at) \
        FROM job WHERE number BETWEEN ? AND ? GROUP BY state, step, spool
        """, [start, end])
      while let row = try rows.next() {
        var reader = ColumnReader(row: row)
        let state: JobState = try reader.nextCase()
        let step: Step = try reader.nextCase()
        // in halves, since a sum beyond 64 bits is an error for SQLite
        let (high, low): (Int64, Int64) = (row[3], row[4])
        position.counts.jobs.add(step, state, jobs: row[2], bytes: Int128(high) << 32 + Int128(low))
        let (spool, last): (String, Timestamp) = (row[5], Timestamp(stored: row[6]))
        position.counts.lastFiles[spool] = max(last, position.counts.lastFiles[spool] ?? last)
      }
    }
    var routes = try db.rows(
      """
      SELECT job.spool, storage, backend, count(*) FROM job JOIN ticket ON ticket.job = job.number \
      LEFT JOIN trouble ON trouble.job = job.number \
      WHERE state = 'queued' AND failure_code IS NOT ? GROUP BY job.spool, storage, backend
      """, [Failure.awayCode])
    while let row = try routes.next() {
      position.counts.ahead.add(row[3], at: SpoolRoute(spool: row[0], storage: row[1], backend: row[2]))
    }
  }

  /// Counts anew the jobs that can be begun or wait to be, given the pauses.
  mutating func recount(_ db: Database) throws {
    (position.counts.queued, position.counts.queuedLarge, position.counts.waiting, unfinished) = ([:], [:], [:], 0)
    var rows = try db.rows(
      """
      SELECT state, destination, spool, \(LedgerSchema.Condition.waitsForCleanup) AS waits, count(*), \
      \(LedgerSchema.Condition.isLargeUpload) AS large \
      FROM job LEFT JOIN trouble ON trouble.job = job.number WHERE \(LedgerSchema.Condition.unfinished) \
      GROUP BY state, destination, spool, waits, large
      """)
    while let row = try rows.next() {
      let name: String = row[0]
      unfinished += row[4]
      guard let state = JobState(rawValue: name), state != .active else { continue }
      position.counts.count(
        state, try Destination(stored: row[1]), spool: row[2], waitsForCleanup: row[3], isLarge: row[5], row[4])
    }
    position.counts.nextDue = try JobRow.nextDue(in: db)
  }
}

/// The success at a destination whose attempt began last. It distinguishes a key that is refused for one job alone from a key that is
/// refused for all. A restart forgets it: then such a job asks only when another one has succeeded again.
struct LastSuccess: Hashable, Sendable {
  /// The sequence of the last event when the success was recorded.
  var sequence: Int64
  var startedAt: Timestamp

  /// Returns the one of two that began later. A start in the future, from before the clock was set back, does not count.
  func orLater(_ other: LastSuccess?, now: Timestamp) -> LastSuccess {
    guard let other, other.startedAt > startedAt, other.startedAt <= now else { return self }
    return other
  }
}

/// The heads of the queues: for each destination one of large uploads, and one of all other jobs.
struct HeadTable {
  private struct Lane: Hashable {
    let destination: Destination
    let isLarge: Bool
  }

  /// The index of each lane's head: a change in place by the subscript of a dictionary allocates memory.
  private var indices: [Lane: Int] = [:]
  private var heads: [QueueHead] = []

  /// The most jobs of one head: fewer, the more destinations have jobs.
  var limit: Int { max(32, min(QueueHead.limit, 16 * QueueHead.limit / max(1, heads.count))) }

  subscript(destination: Destination, isLarge: Bool) -> QueueHead {
    _read {
      if let index = indices[Lane(destination: destination, isLarge: isLarge)] {
        yield heads[index]
      } else {
        yield QueueHead()
      }
    }
    _modify {
      let lane = Lane(destination: destination, isLarge: isLarge)
      let index = indices[lane] ?? heads.count
      if index == heads.count {
        indices[lane] = index
        heads.append(QueueHead())
      }
      yield &heads[index]
    }
  }

  mutating func forget() { (indices, heads) = ([:], []) }
}

/// The first of a destination's queued jobs in one lane, in the order in which they are begun, so that beginning one needs no
/// reading.
/// A higher priority goes first, then the lower number.
struct QueueHead {
  /// The largest number of jobs kept here; the rest stay in the ledger. A burst of up to this many files begins without reading any of
  /// them again. A full lane takes up to 0.5 MiB, and a destination has two; with many destinations it is less (``HeadTable/limit``).
  static let limit = 1024
  /// The most jobs that are read at once when none is left here: few, because commits wait for the reading.
  static let refill = 256
  /// The number of taken jobs after which the rest moves to the front.
  private static let mostTaken = 256

  private var jobs: [Job] = []
  /// The index of the first job in the array: those before it were taken.
  private var start = 0
  /// True if no queued job of the destination and the lane comes after these.
  private(set) var isWhole = false

  private var count: Int { jobs.count - start }

  var first: Job? { count > 0 ? jobs[start] : nil }

  /// Adds a job that is queued now, if it belongs to the first; `isOnly` says that no other one is queued.
  mutating func add(_ job: Job, isOnly: Bool, upTo limit: Int) {
    if isOnly {
      refill([job], isWhole: true)
      return
    }
    guard count > 0, let last = jobs.last, Self.precedes(job, last) else {
      if isWhole, count < limit { jobs.append(job) } else { isWhole = false }
      return
    }
    jobs.insert(job, at: index(of: job))
    guard count > limit else { return }
    jobs.removeLast()
    isWhole = false
  }

  /// Removes a job that is no longer queued, as it was until then: mostly the first, which was begun.
  mutating func remove(_ job: Job) {
    if let first, first.number == job.number {
      start += 1
      if start == jobs.count || start == Self.mostTaken {
        jobs.removeFirst(start)
        start = 0
      }
      return
    }
    let index = index(of: job)
    if index < jobs.endIndex, jobs[index].number == job.number { jobs.remove(at: index) }
  }

  /// Returns the index of a job, or of the first job that does not precede it.
  private func index(of job: Job) -> Int {
    var (low, high) = (start, jobs.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if Self.precedes(jobs[middle], job) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Replaces the jobs by those that were read anew: the first of the queue, in order, up to ``refill``.
  mutating func refill(_ first: [Job], isWhole: Bool) {
    assert(zip(first, first.dropFirst()).allSatisfy { Self.precedes($0, $1) }, "a queue is out of order")
    jobs = first
    start = 0
    self.isWhole = isWhole
  }

  static func precedes(_ a: Job, _ b: Job) -> Bool {
    a.ticket.priority == b.ticket.priority ? a.number < b.number : a.ticket.priority > b.ticket.priority
  }
}
