package import Jobs

/// The jobs that changed, in order, for readers that keep a copy of the ledger. A reader passes its place in the list, and reads each
/// job as it is at that moment.
package struct ChangeList: Sendable {
  /// The place after the last change.
  package private(set) var end = 0
  /// The first place from which a reader can go on.
  package private(set) var start = 0
  /// The changes in order. Of a job only its last one counts, because readers read its present state.
  private var changes: [(place: Int, job: JobNumber)] = []
  private var last: [JobNumber: Int] = [:]
  private let limit: Int

  /// Creates an empty list.
  ///
  /// - Parameter limit: the number of jobs that are kept at least. A reader that is further behind reads all jobs.
  package init(limit: Int) { self.limit = limit }

  /// Adds jobs that a commit changed.
  package mutating func append(_ jobs: [JobNumber]) {
    for job in jobs {
      changes.append((end, job))
      last[job] = end
      end += 1
    }
    if changes.count > 2 * limit { shorten() }
  }

  /// Forgets changes of jobs that have changed again; then forgets the oldest changes.
  private mutating func shorten() {
    changes.removeAll { last[$0.job] != $0.place }
    guard changes.count > limit else { return }
    let old = changes.prefix(changes.count - limit)
    for change in old { last[change.job] = nil }
    start = (old.last?.place ?? start - 1) + 1
    changes.removeFirst(old.count)
  }

  /// Returns jobs whose last change was at or after a place, and the place up to which the result is complete; nil if the list does
  /// not reach back so far.
  package func page(from place: Int, limit: Int) -> (jobs: [JobNumber], end: Int)? {
    guard (start...end).contains(place) else { return nil }
    var jobs: [JobNumber] = []
    // a job changes a few times, so eight changes for each job fill a page
    let rest = changes[index(of: place)...]
    for change in rest.prefix(8 * limit) where last[change.job] == change.place {
      if jobs.count == limit { return (jobs, change.place) }
      jobs.append(change.job)
    }
    return (jobs, rest.count > 8 * limit ? rest[rest.startIndex + 8 * limit].place : end)
  }

  /// The index of the first change at or after a place.
  private func index(of place: Int) -> Int {
    // readers are near the end
    changes.lastIndex { $0.place < place }.map { $0 + 1 } ?? 0
  }
}
