import Jobs
import SQLite

/// The columns of `job_state` that change together. An update names only those that changed, so that SQLite need not check the
/// indexes of the others; every update writes ``PlaceColumns``.
struct ColumnGroups: OptionSet {
  let rawValue: Int

  static let file = ColumnGroups(rawValue: 1)
  static let trouble = ColumnGroups(rawValue: 2)
  static let release = ColumnGroups(rawValue: 4)
  static let end = ColumnGroups(rawValue: 8)

  init(rawValue: Int) { self.rawValue = rawValue }

  /// Creates the set of groups that differ between two versions of a job.
  init(changedFrom old: Job, to job: Job) {
    self = []
    if job.identity != old.identity || job.mayBeStored != old.mayBeStored
      || job.objectMayBeStale != old.objectMayBeStale
    {
      insert(.file)
    }
    if job.failure != old.failure || job.schedule != old.schedule || job.nextAttemptAt != old.nextAttemptAt
      || job.question != old.question
    {
      insert(.trouble)
    }
    if job.release != old.release { insert(.release) }
    if job.remote != old.remote || job.finishedAt != old.finishedAt || job.disposedAt != old.disposedAt {
      insert(.end)
    }
  }

  /// The statement that writes these groups, then asks for the row's number.
  var updateSQL: String { Self.statements[rawValue] }

  /// Adds the values of these groups, in the order of ``updateSQL``.
  func write(_ job: Job, to row: inout Binding) {
    PlaceColumns.write(job, to: &row)
    if contains(.file) { FileColumns.write(job, to: &row) }
    if contains(.trouble) { TroubleColumns.write(job, to: &row) }
    if contains(.release) { ReleaseColumns.write(job, to: &row) }
    if contains(.end) { EndColumns.write(job, to: &row) }
  }

  private static let optional: [(group: ColumnGroups, names: [String])] = [
    (.file, FileColumns.names), (.trouble, TroubleColumns.names), (.release, ReleaseColumns.names),
    (.end, EndColumns.names),
  ]

  /// The statements by raw value.
  private static let statements: [String] = (0..<16).map { value in
    let groups = ColumnGroups(rawValue: value)
    let names = PlaceColumns.names + optional.filter { groups.contains($0.group) }.flatMap(\.names)
    return "UPDATE job_state SET " + names.map { "\($0) = ?" }.joined(separator: ", ") + " WHERE job = ?"
  }
}
