package import Jobs

/// The jobs that changed, in order, for readers that keep a copy of the ledger. A reader passes its place in the list, and reads each
/// job as it is at that moment.
package struct ChangeList: Sendable {
  /// The place after the last change.
  package var end: Int { start + numbers.count }
  /// The first place from which a reader can go on.
  package private(set) var start = 0
  /// The changes in order.
  private var numbers: [JobNumber] = []
  private let limit: Int

  /// Creates an empty list. `limit` is the number of changes that are kept at least. A reader that is further behind reads all jobs.
  package init(limit: Int) { self.limit = limit }

  /// Adds jobs that a commit changed.
  package mutating func append(_ jobs: [JobNumber]) {
    numbers += jobs
    guard numbers.count > 2 * limit else { return }
    start += numbers.count - limit
    numbers.removeFirst(numbers.count - limit)
  }

  /// Returns jobs that changed at or after a place, each once, and the place up to which the result is complete; nil if the list does
  /// not reach back so far.
  package func page(from place: Int, limit: Int) -> (jobs: [JobNumber], end: Int)? {
    guard (start...end).contains(place) else { return nil }
    var jobs: [JobNumber] = []
    var known: Set<JobNumber> = []
    // A job changes a few times, so eight changes for each job fill a page.
    let some = numbers[(place - start)...].prefix(8 * limit)
    for (index, job) in some.enumerated() where known.insert(job).inserted {
      if jobs.count == limit { return (jobs, place + index) }
      jobs.append(job)
    }
    return (jobs, place + some.count)
  }
}
