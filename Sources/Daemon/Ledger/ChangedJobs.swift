import Jobs

/// The jobs that a batch changed. Batches reuse the memory.
struct ChangedJobs: Sendable {
  /// The number of changes beyond which memory is given back.
  private static let kept = 256

  /// The jobs as they are in their rows, and as they are now, if that is not yet written; in order.
  private var unwritten: [(before: Job?, now: Job)] = []
  private var places: [JobNumber: Int] = [:]
  /// The jobs that began or ended an attempt, as they were in flight before that; nil if they were not.
  var begunOrEnded: [(JobNumber, Job?)] = []
  /// The jobs that changed or left in this batch, in order; a number may come more than once.
  private(set) var numbers: [JobNumber] = []

  var isWritten: Bool { unwritten.isEmpty }

  subscript(number: JobNumber) -> Job? { places[number].map { unwritten[$0].now } }

  /// Takes in a change; `before` is nil for a new job.
  mutating func add(_ job: Job, before: Job?) {
    note(job.number)
    if let place = places[job.number] {
      unwritten[place].now = job
    } else {
      places[job.number] = unwritten.count
      unwritten.append((before, job))
    }
  }

  mutating func note(_ number: JobNumber) {
    if numbers.last != number { numbers.append(number) }
  }

  /// Calls the body for each change that is not yet written, and counts them as written.
  mutating func write(_ body: (_ before: Job?, _ now: Job) throws -> Void) rethrows {
    for (before, now) in unwritten { try body(before, now) }
    places.removeAll(keepingCapacity: places.count <= Self.kept)
    unwritten.removeAll(keepingCapacity: unwritten.count <= Self.kept)
  }

  mutating func removeAll() {
    write { _, _ in }
    numbers = []
    begunOrEnded.removeAll(keepingCapacity: begunOrEnded.count <= Self.kept)
  }
}
