package import Jobs

/// The changes of the latest commits, as values: a copy of the ledger that is close behind is told of them without a look at the
/// ledger. It is bounded, has of each job and event only what a copy is told of it, and forgets what the copy has.
package struct RecentChanges: Sendable {
  /// The changes that a copy of the ledger lacks.
  package struct Answer: Sendable {
    /// The events, without those of jobs that have left. Of their jobs only what the events say is set.
    package var events: [RecentEvent]
    /// The sequence up to which these are all.
    package var upTo: Int64
    /// Those of the jobs asked for that there are, as they are now: what a copy has of them.
    package var jobs: [RecentJob]
    /// Those that have left.
    package var gone: [JobNumber]

    /// Creates an answer.
    package init(events: [RecentEvent] = [], upTo: Int64, jobs: [RecentJob] = [], gone: [JobNumber] = []) {
      self.events = events
      self.upTo = upTo
      self.jobs = jobs
      self.gone = gone
    }
  }

  private struct Entry: Sendable {
    let events: [RecentEvent]
    let numbers: [JobNumber]
    /// The last event of the ledger then.
    let sequence: Int64
    /// The place in ``ChangeList`` after its changes.
    let place: Int
    let bytes: Int
  }

  /// A job as it is now, nil for one that has left.
  private struct Latest: Sendable {
    let job: RecentJob?
    /// The place of the commit that made it so.
    let place: Int
    let bytes: Int

    init(job: RecentJob?, place: Int) {
      self.job = job
      self.place = place
      bytes = job?.bytes ?? 256
    }
  }

  /// After so long without a reader nothing is kept. A reader that waits for a change asks again sooner.
  package static let patience = Duration.seconds(60)

  private let limit: Int
  /// The time at which a copy last asked.
  private var readAt: Timestamp
  private var entries: [Entry] = []
  private var latest: [JobNumber: Latest] = [:]
  /// The bytes that all of this takes, roughly.
  package private(set) var bytes = 0
  /// All events after this one are here, and all changes from this place on.
  private var start: (sequence: Int64, place: Int)

  /// Creates an empty list.
  ///
  /// - Parameters:
  ///   - limit: the number of bytes that it may take, by an estimate.
  ///   - sequence: the last event of the ledger.
  ///   - place: the end of the ``ChangeList``.
  ///   - time: the present time on the steady clock, as in all functions.
  package init(limit: Int, after sequence: Int64, from place: Int, readAt time: Timestamp) {
    self.limit = limit
    readAt = time
    start = (sequence, place)
  }

  /// Adds a commit.
  ///
  /// - Parameter place: the end of the ``ChangeList`` with its changes.
  package mutating func append(_ commit: Commit, upTo place: Int, at now: Timestamp) {
    guard now - readAt <= Self.patience else {
      (entries, latest, bytes) = ([], [:], 0)
      start = (commit.counts.lastEvent, place)
      return
    }
    let (events, numbers) = (commit.recentEvents, commit.changedNumbers)
    let size = events.reduce(128) { $0 + $1.bytes } + numbers.count * MemoryLayout<JobNumber>.stride
    entries.append(
      Entry(events: events, numbers: numbers, sequence: commit.counts.lastEvent, place: place, bytes: size))
    bytes += size
    for change in commit.changed {
      let value = Latest(job: change.job.map { RecentJob($0) }, place: place)
      bytes += value.bytes
      // in its place: a job changes a few times until a copy is told of it
      if let index = latest.index(forKey: change.number) {
        bytes -= latest.values[index].bytes
        latest.values[index] = value
      } else {
        latest[change.number] = value
      }
    }
    guard bytes > limit else { return }
    // an eighth at once, so that not each further commit moves all that is left
    let enough = limit - limit / 8
    removeFirst { _, bytes in bytes > enough }
  }

  /// Forgets what a copy has that is so far.
  package mutating func read(upTo sequence: Int64, _ place: Int, at now: Timestamp) {
    readAt = now
    removeFirst { entry, _ in entry.sequence <= sequence && entry.place <= place }
  }

  /// Returns the events after a sequence, at most `limit`, and jobs that changed from a place on; nil if the list does not reach back
  /// so far.
  package func answer(after sequence: Int64, from place: Int, of numbers: [JobNumber], limit: Int) -> Answer? {
    guard sequence >= start.sequence, place >= start.place else { return nil }
    var answer = Answer(upTo: max(sequence, entries.last?.sequence ?? sequence))
    search: for entry in entries where entry.sequence > sequence {
      for event in entry.events where event.sequence > sequence {
        if answer.events.count == limit { break search }
        answer.upTo = event.sequence
        if hasLeft(event.job) { continue }
        answer.events.append(event)
      }
      answer.upTo = entry.sequence
    }
    for number in numbers {
      guard let known = latest[number] else { return nil }
      if let job = known.job { answer.jobs.append(job) } else { answer.gone.append(number) }
    }
    return answer
  }

  private func hasLeft(_ number: JobNumber?) -> Bool {
    guard let number, let known = latest[number] else { return false }
    return known.job == nil
  }

  /// Removes entries from the first on, for as long as the condition holds of the next one and of the size of all that is left. With the
  /// commit of its last change a job goes too.
  private mutating func removeFirst(while condition: (Entry, Int) -> Bool) {
    var count = 0
    for entry in entries {
      guard condition(entry, bytes) else { break }
      bytes -= entry.bytes
      start = (entry.sequence, entry.place)
      for number in entry.numbers {
        guard let known = latest[number], known.place <= entry.place else { continue }
        bytes -= known.bytes
        latest[number] = nil
      }
      count += 1
    }
    if count == entries.count {
      // gives the memory back
      (entries, latest) = ([], [:])
    } else {
      entries.removeFirst(count)
    }
  }
}

extension Commit {
  /// The numbers of ``changed``.
  package var changedNumbers: [JobNumber] { changed.map { $0.number } }

  /// All entries of the log, in order.
  fileprivate var recentEvents: [RecentEvent] {
    let ofJobs = events.map { RecentEvent($0) }
    if recorded.isEmpty { return ofJobs }
    return (ofJobs + recorded.map { RecentEvent($0) }).sorted { $0.sequence < $1.sequence }
  }
}
