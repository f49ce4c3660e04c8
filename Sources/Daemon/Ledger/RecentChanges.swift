package import Jobs

/// The changes of the latest commits, as values: a copy of the ledger that is close behind is told of them without a look at the
/// ledger. It is bounded, and what a copy has is forgotten.
package struct RecentChanges: Sendable {
  /// The changes that a copy of the ledger lacks.
  package struct Answer: Sendable {
    /// The events, without those of jobs that have left.
    package var events: [LoggedEvent]
    /// The sequence up to which these are all.
    package var upTo: Int64
    /// Those of the jobs asked for that there are, as they are now.
    package var jobs: [Job]
    /// Those that have left.
    package var gone: [JobNumber]

    /// Creates an answer.
    package init(events: [LoggedEvent] = [], upTo: Int64, jobs: [Job] = [], gone: [JobNumber] = []) {
      self.events = events
      self.upTo = upTo
      self.jobs = jobs
      self.gone = gone
    }
  }

  private struct Entry: Sendable {
    let events: [LoggedEvent]
    let changed: [ChangedJob]
    /// The last event of the ledger then.
    let sequence: Int64
    /// The place in ``ChangeList`` after its changes.
    let place: Int

    /// A commit that changed no job takes room too.
    var size: Int { 1 + events.count + changed.count }
  }

  private let limit: Int
  private var entries: [Entry] = []
  private var size = 0
  /// All events after this one are here, and all changes from this place on.
  private var start: (sequence: Int64, place: Int)

  /// Creates an empty list.
  ///
  /// - Parameters:
  ///   - limit: the number of events and changes that are kept at most.
  ///   - sequence: the last event of the ledger.
  ///   - place: the end of the ``ChangeList``.
  package init(limit: Int, after sequence: Int64, from place: Int) {
    self.limit = limit
    start = (sequence, place)
  }

  /// Adds a commit.
  ///
  /// - Parameter place: the end of the ``ChangeList`` with its changes.
  package mutating func append(_ commit: Commit, upTo place: Int) {
    let entry = Entry(
      events: commit.logged, changed: commit.changed, sequence: commit.counts.lastEvent, place: place)
    entries.append(entry)
    size += entry.size
    guard size > limit else { return }
    let limit = limit
    removeFirst { _, size in size > limit }
  }

  /// Forgets what a copy has that is so far.
  package mutating func drop(upTo sequence: Int64, _ place: Int) {
    removeFirst { entry, _ in entry.sequence <= sequence && entry.place <= place }
  }

  /// Returns the events after a sequence, at most `limit`, and jobs that changed from a place on; nil if the list does not reach back
  /// so far.
  package func answer(after sequence: Int64, from place: Int, of numbers: [JobNumber], limit: Int) -> Answer? {
    guard sequence >= start.sequence, place >= start.place else { return nil }
    let lacking = entries.drop { $0.sequence <= sequence && $0.place <= place }
    var latest: [JobNumber: Job?] = [:]
    for entry in lacking { for change in entry.changed { latest[change.number] = .some(change.job) } }

    var answer = Answer(upTo: max(sequence, entries.last?.sequence ?? sequence))
    search: for entry in lacking where entry.sequence > sequence {
      for event in entry.events where event.sequence > sequence {
        if answer.events.count == limit { break search }
        answer.upTo = event.sequence
        if case .job(let event) = event, case .some(nil) = latest[event.job.number] { continue }
        answer.events.append(event)
      }
      answer.upTo = entry.sequence
    }
    for number in numbers {
      guard let known = latest[number] else { return nil }
      if let job = known { answer.jobs.append(job) } else { answer.gone.append(number) }
    }
    return answer
  }

  /// Removes entries from the first on, for as long as the condition holds of the next one and of the size of all that are left.
  private mutating func removeFirst(while condition: (Entry, Int) -> Bool) {
    var count = 0
    for entry in entries {
      guard condition(entry, size) else { break }
      size -= entry.size
      start = (entry.sequence, entry.place)
      count += 1
    }
    entries.removeFirst(count)
  }
}

extension Commit {
  /// All entries of the log, in order, as a reader of the ledger finds them.
  fileprivate var logged: [LoggedEvent] {
    let ofJobs = events.map { LoggedEvent.job(EventRow.asRead($0)) }
    if recorded.isEmpty { return ofJobs }
    return (ofJobs + recorded.map(LoggedEvent.occurrence)).sorted { $0.sequence < $1.sequence }
  }
}
