import Jobs

/// The first of a destination's queued jobs: those at the upload of a large file, and the others.
struct QueueHeads {
  private var small = QueueHead()
  private var large = QueueHead()

  /// The one or the other.
  subscript(isLarge isLarge: Bool) -> QueueHead {
    get { isLarge ? large : small }
    _modify { if isLarge { yield &large } else { yield &small } }
  }
}

/// The first of a destination's queued jobs in one lane, in the order in which they are begun, so that beginning one needs no reading.
///
/// Higher priority goes first, then the lower number.
struct QueueHead {
  /// At most so many are kept here; the rest stay in the ledger.
  static let limit = 64

  private var jobs: [Job] = []
  /// Where the jobs begin in the array: what is before was taken.
  private var start = 0
  /// Whether no queued job of the destination and the lane stands behind these.
  private(set) var isWhole = false

  private var count: Int { jobs.count - start }

  /// The job to begin next, as far as it is known here.
  var first: Job? { count > 0 ? jobs[start] : nil }

  /// Puts in a job that is queued now, if it belongs to the first; `isOnly` says that no other one is queued.
  mutating func add(_ job: Job, isOnly: Bool) {
    if isOnly {
      refill([job], isWhole: true)
      return
    }
    guard count > 0, let last = jobs.last, Self.precedes(job, last) else {
      if isWhole, count < Self.limit { jobs.append(job) } else { isWhole = false }
      return
    }
    let place = jobs[start...].firstIndex { Self.precedes(job, $0) } ?? jobs.endIndex
    jobs.insert(job, at: place)
    guard count > Self.limit else { return }
    jobs.removeLast()
    isWhole = false
  }

  /// Takes out a job that is queued no longer: mostly the first, which was begun.
  mutating func remove(_ number: JobNumber) {
    if let first, first.number == number {
      start += 1
      if start == jobs.count || start == Self.limit {
        jobs.removeFirst(start)
        start = 0
      }
    } else if let place = jobs[start...].firstIndex(where: { $0.number == number }) {
      jobs.remove(at: place)
    }
  }

  /// Takes in what was read anew: the first of the queue, in order.
  mutating func refill(_ first: [Job], isWhole: Bool) {
    jobs = first
    start = 0
    self.isWhole = isWhole
  }

  /// Whether a job is begun before another.
  static func precedes(_ a: Job, _ b: Job) -> Bool {
    a.ticket.priority == b.ticket.priority ? a.number < b.number : a.ticket.priority > b.ticket.priority
  }
}
