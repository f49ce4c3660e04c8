package import Jobs

/// The jobs that changed, in order, for readers that keep a copy of the ledger. A reader passes its place in the list, and reads each
/// job as it is at that moment.
package struct ChangeList: Sendable {
  /// The place after the last change.
  package var end: Int { start + numbers.count }
  /// The first place from which a reader can go on.
  package private(set) var start = 0
  private var numbers: [JobNumber] = []
  /// The place of each job's last change: only that one is told.
  private var latest: [JobNumber: Int] = [:]
  private let limit: Int

  /// Creates an empty list. `limit` is the number of changes that are kept at least. A reader that is further behind reads all jobs.
  package init(limit: Int) { self.limit = limit }

  package mutating func append(_ jobs: [JobNumber]) {
    for job in jobs {
      latest[job] = end
      numbers.append(job)
    }
    guard numbers.count > 2 * limit else { return }
    let dropped = numbers.prefix(numbers.count - limit)
    for (index, job) in dropped.enumerated() where latest[job] == start + index { latest[job] = nil }
    start += dropped.count
    numbers.removeFirst(dropped.count)
  }

  /// Returns jobs that changed at or after a place, each where it changed last, and the place up to which the result and later pages are
  /// complete; nil if the list does not reach back so far.
  package func page(from place: Int, limit: Int) -> (jobs: [JobNumber], end: Int)? {
    guard (start...end).contains(place) else { return nil }
    var jobs: [JobNumber] = []
    for index in place..<end where latest[numbers[index - start]] == index {
      if jobs.count == limit { return (jobs, index) }
      jobs.append(numbers[index - start])
    }
    return (jobs, end)
  }
}
