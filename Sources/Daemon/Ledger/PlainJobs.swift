import Jobs

/// The plain jobs that have not ended (``Job/isPlain``): no index knows them, so their queues are in memory. A start makes them
/// again from the facts.
struct PlainJobs: Sendable {
  /// The most of them. Jobs that are admitted beyond it have a row of `job_state` from the beginning.
  static let limit = 16_384

  /// The first of a spool's plain jobs.
  struct Oldest: Sendable, Hashable, Comparable {
    let number: JobNumber
    let createdAt: Timestamp

    static func < (a: Oldest, b: Oldest) -> Bool { a.number < b.number }
  }

  /// A job's place in the order in which jobs are begun: a higher priority first, then the lower number.
  private struct Place: Hashable, Comparable {
    let priority: Int
    let number: JobNumber
    /// The index of its spool's name.
    let spool: Int

    static func < (a: Place, b: Place) -> Bool {
      a.priority == b.priority ? a.number < b.number : a.priority > b.priority
    }
  }

  private struct Lane: Hashable {
    let destination: String
    let isLarge: Bool
  }

  private var queues: [Lane: OrderedRun<Place>] = [:]
  private var ages: [OrderedRun<Oldest>] = []
  private var spools: [String] = []
  /// The number of jobs, queued and in flight.
  private(set) var count = 0

  /// Takes in a change of a job; nil for one that is not yet, or no longer, one of them.
  mutating func change(from before: Job?, to now: Job?) {
    let (was, isNow) = (before.flatMap(Self.live), now.flatMap(Self.live))
    if let was, was.state == .queued { update(was) { $0.remove($1) } }
    if let isNow, isNow.state == .queued { update(isNow) { $0.insert($1) } }
    switch (was, isNow) {
    case (let was?, nil):
      ages[spool(was)].remove(Self.age(was))
      count -= 1
    case (nil, let isNow?):
      ages[spool(isNow)].insert(Self.age(isNow))
      count += 1
    case (nil, nil), (_?, _?): break
    }
  }

  /// Returns the first queued jobs of a destination that are not of these spools, in the order in which they are begun.
  func first(_ limit: Int, at destination: String, isLarge: Bool, besides paused: Set<String>) -> [JobNumber] {
    guard let queue = queues[Lane(destination: destination, isLarge: isLarge)] else { return [] }
    if paused.isEmpty { return queue.all.prefix(limit).map(\.number) }
    return queue.all.lazy.filter { !paused.contains(spools[$0.spool]) }.prefix(limit).map(\.number)
  }

  /// Calls the body for each destination, kind of upload and spool that has queued jobs, with their number.
  func forEachQueue(_ body: (_ destination: String, _ isLarge: Bool, _ spool: String, _ count: Int) -> Void) {
    for (lane, queue) in queues {
      for (spool, places) in Dictionary(grouping: queue.all, by: \.spool) {
        body(lane.destination, lane.isLarge, spools[spool], places.count)
      }
    }
  }

  /// The destinations that have queued jobs.
  var destinations: Set<String> { Set(queues.filter { !$0.value.isEmpty }.keys.map(\.destination)) }

  /// The oldest of each spool.
  var oldest: [(spool: String, job: Oldest)] {
    zip(spools, ages).compactMap { spool, ages in ages.first.map { (spool, $0) } }
  }

  private static func live(_ job: Job) -> Job? { job.isPlain && !job.state.isTerminal ? job : nil }

  private static func age(_ job: Job) -> Oldest { Oldest(number: job.number, createdAt: job.ticket.createdAt) }

  private mutating func update(_ job: Job, _ change: (inout OrderedRun<Place>, Place) -> Void) {
    let place = Place(priority: job.ticket.priority, number: job.number, spool: spool(job))
    change(&queues[Lane(destination: job.destination, isLarge: job.isLargeUpload), default: OrderedRun()], place)
  }

  private mutating func spool(_ job: Job) -> Int {
    if let index = spools.firstIndex(of: job.ticket.spool) { return index }
    spools.append(job.ticket.spool)
    ages.append(OrderedRun())
    return spools.count - 1
  }
}

/// The facts of plain jobs that only the writer knows, for those who read the tables.
struct PlainOutline: Sendable {
  /// An attempt in flight.
  struct Active: Sendable, Hashable {
    let step: Step
    let startedAt: Timestamp

    /// The attempt of a plain job; nil if it has none, or the job is not plain.
    init?(_ job: Job) {
      guard job.isPlain, let startedAt = job.attemptStartedAt else { return nil }
      step = job.step
      self.startedAt = startedAt
    }
  }

  /// The plain jobs in flight.
  var active: [JobNumber: Active] = [:]
  /// The oldest unfinished plain job of each spool.
  var oldest: [(spool: String, job: PlainJobs.Oldest)] = []

  init() {}

  init(_ memory: borrowing LedgerMemory) {
    active = memory.plainActive
    oldest = memory.plain.oldest
  }

  /// Returns a job that was read, in flight if it is.
  func completed(_ job: Job) -> Job {
    guard job.isPlain, job.state == .queued, let active = active[job.number], active.step == job.step else {
      return job
    }
    var job = job
    job.begin(at: active.startedAt)
    return job
  }
}
