import ControlAPI
import ControlServer
import Jobs
import Ledger
import Messages

/// The jobs that a filter selects, narrowed to one group if the filter has `like`.
struct MeantJobs: Sendable {
  var filter: JobFilter
  /// The properties that they share with the job in `like`; nil without it.
  var key: ReasonKey?
  /// The group as it was shown; nil if no group is meant.
  var shown: GroupDigest?
}

extension CommandService {
  private static let slice = 1000

  func groups(_ filter: JobFilter) async throws -> ReasonGroups {
    var count = ReasonCount(filter, clock: clockOffset)
    guard let meant = try await resolve(filter) else { return ReasonGroups(groups: []) }
    try await forEach(meant) { job, counts in count.add(message(job, counts)) }
    return ReasonGroups(groups: count.largestFirst)
  }

  /// Returns the jobs of a group that a command for it means.
  /// - Throws: a ``ProblemDocument``: 404 if `like` names no job, 409 if the group is another one than the one that was shown.
  func group(_ filter: JobFilter, shownAs shown: GroupDigest) async throws -> MeantJobs {
    let number = filter.like ?? JobNumber(rawValue: 0)
    // the job may be in another state by now, which a refusal then reports
    var inAnyState = filter
    (inAnyState.states, inAnyState.step) = ([], nil)
    guard var meant = try await resolve(inAnyState), let key = meant.key else {
      throw ProblemDocument.changed(number, to: nil)
    }
    let isAsked =
      (filter.states.isEmpty || filter.states.contains(key.state)) && (filter.step == nil || filter.step == key.step)
    var (now, count) = (GroupDigest(key, filter, clock: clockOffset), ReasonCount(filter, clock: clockOffset))
    try await forEach(meant) { job, counts in
      let message = message(job, counts)
      if shown.wasShown(changedAt: job.updatedAt) { now.add(message) }
      count.add(message)
    }
    guard isAsked, shown.isAnswerable(now: now, mayShrink: !key.isHeld) else {
      throw ProblemDocument.changed(number, to: count.largestFirst.first)
    }
    meant.shown = shown
    return meant
  }

  /// Returns the jobs that a filter selects, with `like` replaced by the properties of that job; nil if there can be none.
  /// - Throws: a ``ProblemDocument`` (404) if `like` names no job.
  func resolve(_ filter: JobFilter) async throws -> MeantJobs? {
    guard let number = filter.like else { return MeantJobs(filter: filter) }
    guard let model = try await ledger.job(.number(number)) else {
      throw ProblemDocument(.unknownGroup, saying: .noSuchGroup(group: number.rawValue))
    }
    let key = ReasonKey(of: message(model))
    var narrow = filter
    narrow.like = nil
    if !narrow.states.isEmpty, !narrow.states.contains(key.state) { return nil }
    if let step = narrow.step, step != key.step { return nil }
    narrow.states = [key.state]
    narrow.step = key.step
    if narrow.error == nil, !key.isHeld, !key.pattern.isEmpty { narrow.error = key.pattern }
    return MeantJobs(filter: narrow, key: key)
  }

  func jobs(_ meant: MeantJobs, after: JobNumber?, order: JobOrder, limit: Int) async throws -> [Job] {
    guard let key = meant.key else {
      return try await ledger.jobs(meant.filter, after: after, order: order, limit: limit)
    }
    var found: [Job] = []
    var after = after
    while true {
      let jobs = try await ledger.jobs(meant.filter, after: after, order: order, limit: Self.slice)
      let counts = ledger.counts
      found += jobs.filter { ReasonKey(of: message($0, counts)) == key }
      if found.count >= limit { return Array(found.prefix(limit)) }
      guard jobs.count == Self.slice else { return found }
      after = jobs.last?.number
    }
  }

  func counts(of meant: MeantJobs) async throws -> [JobState: Int] {
    guard let key = meant.key else { return try await ledger.counts(of: meant.filter) }
    var count = 0
    try await forEach(meant) { _, _ in count += 1 }
    return count == 0 ? [:] : [key.state: count]
  }

  /// Calls the body for each of these jobs, the oldest first, with the counts of the ledger when it was read.
  private func forEach(_ meant: MeantJobs, _ body: (Job, LedgerCounts) -> Void) async throws {
    var after: JobNumber?
    repeat {
      let jobs = try await jobs(meant, after: after, order: .oldest, limit: Self.slice)
      let counts = ledger.counts
      for job in jobs { body(job, counts) }
      after = jobs.count == Self.slice ? jobs.last?.number : nil
    } while after != nil
  }
}
