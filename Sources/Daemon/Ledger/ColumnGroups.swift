import Jobs
import SQLite

/// The columns of `job` that change together. An update names only those that changed, so that SQLite does not touch the indexes of
/// other columns; every update writes ``JobColumns/revision``.
struct ColumnGroups: OptionSet {
  let rawValue: Int

  static let step = ColumnGroups(rawValue: 1)
  static let progress = ColumnGroups(rawValue: 2)
  static let file = ColumnGroups(rawValue: 4)
  static let trouble = ColumnGroups(rawValue: 8)
  static let end = ColumnGroups(rawValue: 16)
  static let disposal = ColumnGroups(rawValue: 32)

  /// The groups that are written with a new row.
  static let inserted: ColumnGroups = [.step, .progress, .file, .disposal]

  /// The columns of the options, in their order.
  private static let optional: [JobColumns] = [.step, .progress, .file, .trouble, .end, .disposal]

  /// All columns that change, in the order in which they are read and written. The first group is in every update.
  static let all: [JobColumns] = [.revision] + optional
  /// The same, as the table declares them.
  static let declared = all.flatMap(\.declared)

  init(rawValue: Int) { self.rawValue = rawValue }

  /// Creates the set of groups that differ between two versions of a job.
  init(changedFrom old: Job, to job: Job) {
    self = []
    if job.step != old.step { insert(.step) }
    if job.state != old.state || job.tries != old.tries || job.attemptStartedAt != old.attemptStartedAt {
      insert(.progress)
    }
    if job.identity != old.identity || job.mayBeStored != old.mayBeStored
      || job.objectMayBeStale != old.objectMayBeStale || job.mayBeForgotten != old.mayBeForgotten
    {
      insert(.file)
    }
    if job.noticed != old.noticed || job.delaysSpent != old.delaysSpent || job.failure != old.failure
      || job.nextAttemptAt != old.nextAttemptAt || job.question != old.question
      || job.sendsDuplicate != old.sendsDuplicate
    {
      insert(.trouble)
    }
    if job.finishedAt != old.finishedAt || job.remote != old.remote || job.recognized != old.recognized
      || job.release != old.release
    {
      insert(.end)
    }
    if job.disposedAt != old.disposedAt || FilePresence(of: job) != FilePresence(of: old) { insert(.disposal) }
  }

  /// The statement that writes these groups, then asks for the row's number.
  var updateSQL: SQL { Self.statements[rawValue] }

  /// The names of the columns of these groups, in their order.
  var names: [String] {
    let own = Self.optional.indices.filter(has).map { Self.optional[$0] }
    return ([.revision] + own).flatMap(\.declared).names
  }

  /// Adds the values of these groups, in the order of ``names``.
  func write(_ job: Job, to row: inout Binding) {
    JobColumns.revision.write(job, &row)
    for index in Self.optional.indices where has(index) { Self.optional[index].write(job, &row) }
  }

  private func has(_ index: Int) -> Bool { rawValue & 1 << index != 0 }

  /// The statements by raw value.
  private static let statements: [SQL] = (0..<64).map { value in
    let groups = ColumnGroups(rawValue: value)
    // A disposal may be noted twice; the first note counts.
    let condition = groups == .disposal ? " AND disposed_at IS NULL" : ""
    return SQL("UPDATE job SET \(groups.names.assigned) WHERE number = ?\(condition)")
  }
}
