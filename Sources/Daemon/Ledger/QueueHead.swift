import Jobs

/// The heads of the queues of all destinations: for each, those at the upload of a large file, and the others.
struct HeadTable {
  private struct Lane: Hashable {
    let destination: Destination
    let isLarge: Bool
  }

  /// The place of each lane's head: a change in place by the subscript of a dictionary allocates memory.
  private var places: [Lane: Int] = [:]
  private var heads: [QueueHead] = []

  func first(at destination: Destination, isLarge: Bool) -> Job? {
    places[Lane(destination: destination, isLarge: isLarge)].flatMap { heads[$0].first }
  }

  /// Adds a job that is queued now, if it belongs to the first of its queue; `isOnly` says that no other one is queued.
  mutating func add(_ job: Job, isOnly: Bool) {
    let place = place(of: job.destination, isLarge: job.isLargeUpload)
    heads[place].add(job, isOnly: isOnly)
  }

  mutating func remove(_ job: Job) { heads[place(of: job.destination, isLarge: job.isLargeUpload)].remove(job) }

  /// Replaces the head of a queue by the jobs that were read anew: up to ``QueueHead/refill``.
  mutating func refill(_ destination: Destination, isLarge: Bool, with first: [Job]) {
    heads[place(of: destination, isLarge: isLarge)].refill(first, isWhole: first.count < QueueHead.refill)
  }

  private mutating func place(of destination: Destination, isLarge: Bool) -> Int {
    let lane = Lane(destination: destination, isLarge: isLarge)
    if let place = places[lane] { return place }
    places[lane] = heads.count
    heads.append(QueueHead())
    return heads.count - 1
  }

  mutating func forget() { (places, heads) = ([:], []) }
}

/// The first of a destination's queued jobs in one lane, in the order in which they are begun, so that beginning one needs no
/// reading.
///
/// A higher priority goes first, then the lower number.
struct QueueHead {
  /// The largest number of jobs kept here; the rest stay in the ledger. A burst of up to this many files begins without reading any of
  /// them again. A full lane takes up to 0.5 MiB, and a destination has two.
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
  mutating func add(_ job: Job, isOnly: Bool) {
    if isOnly {
      refill([job], isWhole: true)
      return
    }
    guard count > 0, let last = jobs.last, Self.precedes(job, last) else {
      if isWhole, count < Self.limit { jobs.append(job) } else { isWhole = false }
      return
    }
    jobs.insert(job, at: place(of: job))
    guard count > Self.limit else { return }
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
    let place = place(of: job)
    if place < jobs.endIndex, jobs[place].number == job.number { jobs.remove(at: place) }
  }

  /// Returns the index of a job, or the one that it would have: the first that does not precede it.
  private func place(of job: Job) -> Int {
    var (low, high) = (start, jobs.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if Self.precedes(jobs[middle], job) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Replaces the jobs by those that were read anew: the first of the queue, in order.
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
