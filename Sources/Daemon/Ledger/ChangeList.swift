package import Jobs

/// The jobs that changed, in order, for readers that keep a copy of the ledger. A reader passes its place in the list, and reads each
/// job as it is at that moment.
package struct ChangeList: Sendable {
  /// The place after the last change.
  package private(set) var end = 0
  /// The first place from which a reader can go on.
  package private(set) var start = 0
  private var changes: [(place: Int, job: JobNumber)] = []
  private let limit: Int

  /// Creates an empty list.
  ///
  /// - Parameter limit: the number of jobs that are kept at least. A reader that is further behind reads all jobs.
  package init(limit: Int) { self.limit = limit }

  /// Adds jobs that a commit changed.
  package mutating func append(_ jobs: [JobNumber]) {
    for job in jobs {
      changes.append((end, job))
      end += 1
    }
    if changes.count > 2 * limit { shorten() }
  }

  /// Forgets changes of jobs that have changed again, because readers read only the present state; then forgets the oldest changes.
  private mutating func shorten() {
    var known: Set<JobNumber> = []
    changes = changes.reversed().filter { known.insert($0.job).inserted }.reversed()
    guard changes.count > limit else { return }
    let old = changes.count - limit
    start = changes[old - 1].place + 1
    changes.removeFirst(old)
  }

  /// Returns jobs that changed at or after a place, each once, and the place up to which the result is complete; nil if the list does
  /// not reach back so far.
  package func page(from place: Int, limit: Int) -> (jobs: [JobNumber], end: Int)? {
    guard (start...end).contains(place) else { return nil }
    var known: Set<JobNumber> = []
    var jobs: [JobNumber] = []
    // a job changes a few times, so eight changes for each job fill a page
    for change in changes[index(of: place)...].prefix(8 * limit) {
      if known.contains(change.job) { continue }
      if jobs.count == limit { return (jobs, change.place) }
      known.insert(change.job)
      jobs.append(change.job)
    }
    let next = index(of: place) + 8 * limit
    return (jobs, next < changes.count ? changes[next].place : end)
  }

  /// The index of the first change at or after a place.
  private func index(of place: Int) -> Int {
    // readers are near the end
    changes.lastIndex { $0.place < place }.map { $0 + 1 } ?? 0
  }
}
