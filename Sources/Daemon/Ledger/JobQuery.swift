import Jobs
import SQLite

/// A filter as SQL on ``JobRow/tables``.
struct JobQuery {
  private(set) var condition = ""
  /// The order of the rows.
  let order: String
  private(set) var arguments: [(any Bindable)?] = []
  /// The state of a job.
  let state: String

  /// States outside the partial index on noticed jobs: a list of questions must not read a million done jobs.
  private static let unnoticed: Set<State> = [.queued, .active, .registered, .discarded]

  init(_ filter: JobFilter, _ outline: PlainOutline, after: JobNumber?, order: JobOrder) {
    self.order = order == .oldest ? "ORDER BY job.number" : "ORDER BY job.number DESC"
    state = JobSQL.state(active: outline.active.keys)
    var terms: [String] = []
    func add(_ term: String, _ values: [any Bindable]) {
      terms.append(term)
      arguments += values
    }
    if let after { add(order == .oldest ? "job.number > ?" : "job.number < ?", [after.rawValue]) }
    if !filter.states.isEmpty {
      let marks = filter.states.map { _ in "?" }.joined(separator: ", ")
      let names = filter.states.map(\.rawValue).sorted()
      if filter.states.isDisjoint(with: Self.unnoticed) {
        add("job_state.state IN (\(marks)) AND \(LedgerSchema.Condition.noticed)", names)
      } else {
        add("\(state) IN (\(marks))", names)
        if filter.states.isSubset(of: [.queued, .active]) { terms.append(Self.isUnfinished(outline)) }
      }
    }
    if let step = filter.step { add("\(JobSQL.step) = ?", [step.rawValue]) }
    if let spool = filter.spool { add("job.spool = ?", [spool]) }
    if let name = filter.name { add("CAST(job.name AS TEXT) GLOB ?", [TextPattern.name(name)]) }
    if let error = filter.error {
      add(
        "(job_state.failure_kind = lower(?) OR lower(job_state.failure_code) = lower(?) "
          + "OR job_state.failure_words GLOB ?)",
        [error, error, TextPattern.words(error)])
    }
    if let since = filter.since { add("job.created_at >= ?", [since.microseconds]) }
    if let until = filter.until { add("job.created_at < ?", [until.microseconds]) }
    if !terms.isEmpty { condition = "WHERE " + terms.joined(separator: " AND ") }
  }

  /// Returns a condition that all unfinished jobs fit and few others, so that a list of them does not read a million done jobs.
  private static func isUnfinished(_ outline: PlainOutline) -> String {
    let others = "job.number IN (SELECT job FROM job_state WHERE \(LedgerSchema.Condition.unfinished))"
    guard let first = outline.oldest.map(\.job.number).min() else { return others }
    return "(job.number >= \(first) OR \(others))"
  }
}
