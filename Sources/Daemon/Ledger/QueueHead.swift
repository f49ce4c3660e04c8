import Jobs

/// The heads of the queues of all destinations. There are few, so that looking at one after the other finds one quickest; and a
/// change in place by the subscript of a dictionary allocates memory.
struct HeadTable {
  private var entries: [(destination: Destination, heads: QueueHeads)] = []

  /// The first job of a queue, if it is known here.
  func first(at destination: Destination, isLarge: Bool) -> Job? {
    for entry in entries where entry.destination == destination { return entry.heads[isLarge: isLarge].first }
    return nil
  }

  /// Changes the head of a queue.
  mutating func change(_ destination: Destination, isLarge: Bool, _ change: (inout QueueHead) -> Void) {
    let index = entries.firstIndex { $0.destination == destination } ?? entries.endIndex
    if index == entries.endIndex { entries.append((destination, QueueHeads())) }
    change(&entries[index].heads[isLarge: isLarge])
  }

  /// Forgets all: they are read anew.
  mutating func forget() { entries = [] }
}

/// The first of a destination's queued jobs: those at the upload of a large file, and the others.
struct QueueHeads {
  private var small = QueueHead()
  private var large = QueueHead()

  /// The head of the large uploads, or of the others.
  subscript(isLarge isLarge: Bool) -> QueueHead {
    get { isLarge ? large : small }
    _modify { if isLarge { yield &large } else { yield &small } }
  }
}

/// The first of a destination's queued jobs in one lane, in the order in which they are begun, so that beginning one needs no
/// reading.
///
/// A higher priority goes first, then the lower number.
struct QueueHead {
  /// The largest number of jobs kept here; the rest stay in the ledger. A burst of up to so many files is begun without reading
  /// one of them again. It costs up to 0.5 MiB for each lane that is full, of which a destination has two.
  static let limit = 1024
  /// The number of jobs that are read at once when none is left here: few, because commits wait for the reading.
  static let refill = 256
  /// The number of jobs that were taken before the rest moves to the front.
  private static let mostTaken = 256

  private var jobs: [Job] = []
  /// The index of the first job in the array: those before it were taken.
  private var start = 0
  /// True if no queued job of the destination and the lane comes after these.
  private(set) var isWhole = false

  private var count: Int { jobs.count - start }

  /// The job to begin next, if it is known here.
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
    jobs = first
    start = 0
    self.isWhole = isWhole
  }

  /// Returns true if a job is begun before another.
  static func precedes(_ a: Job, _ b: Job) -> Bool {
    a.ticket.priority == b.ticket.priority ? a.number < b.number : a.ticket.priority > b.ticket.priority
  }
}
