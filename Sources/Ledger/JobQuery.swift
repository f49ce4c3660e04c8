import Foundation
import GRDB
import Jobs

/// A filter as SQL.
struct JobQuery {
  private(set) var condition = ""
  /// The order of the rows.
  let order: String
  private(set) var arguments = StatementArguments()

  /// States outside the partial index on noticed jobs: a list of questions must not read a million done jobs.
  private static let unnoticed: Set<State> = [.queued, .active, .registered, .discarded]

  init(_ filter: JobFilter, after: JobNumber?, order: JobOrder) {
    self.order = order == .oldest ? "ORDER BY number" : "ORDER BY number DESC"
    var terms: [String] = []
    func add(_ term: String, _ values: [(any DatabaseValueConvertible)?]) {
      terms.append(term)
      arguments += StatementArguments(values)
    }
    if let after { add(order == .oldest ? "number > ?" : "number < ?", [after.rawValue]) }
    if !filter.states.isEmpty {
      let marks = filter.states.map { _ in "?" }.joined(separator: ", ")
      add("state IN (\(marks))", filter.states.map(\.rawValue).sorted())
      if filter.states.isDisjoint(with: Self.unnoticed) {
        terms.append(LedgerSchema.Condition.noticed)
      }
    }
    if let step = filter.step { add("step = ?", [step.rawValue]) }
    if let spool = filter.spool { add("spool = ?", [spool]) }
    if let name = filter.name { add("CAST(name AS TEXT) GLOB ?", [name]) }
    if let error = filter.error {
      add("(failure_kind = ? OR failure_code = ? OR instr(failure_words, ?) > 0)", [error, error, error])
    }
    if let since = filter.since { add("created_at >= ?", [since.microseconds]) }
    if let until = filter.until { add("created_at < ?", [until.microseconds]) }
    if !terms.isEmpty { condition = "WHERE " + terms.joined(separator: " AND ") }
  }
}
