import Jobs

/// The columns of `job` that change together. An update names only those that changed, so that SQLite need not check the
/// indexes of the others; every update writes the columns that are in no group.
struct ColumnGroups: OptionSet {
  let rawValue: Int

  static let identity = ColumnGroups(rawValue: 1)
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
      insert(.identity)
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

  /// The statement that writes these groups, each in the order of its columns here, then the row's number.
  var updateSQL: String { Self.statements[rawValue] }

  private static let always = [
    "revision", "step", "state", "destination", "upload_tries", "register_tries", "attempt_started_at", "updated_at",
  ]

  private static let columns: [(group: ColumnGroups, names: [String])] = [
    (.identity, ["device", "inode", "size", "modified_ns", "changed_ns", "may_be_stored", "object_may_be_stale"]),
    (
      .trouble,
      [
        "delays_spent", "next_attempt_at", "failure_kind", "failure_status", "failure_code",
        "failure_words", "failure_retry_after", "failure_may_have_acted", "question", "asked_at",
      ]
    ),
    (.release, ["release_to", "release_by_uid", "release_by_user"]),
    (.end, ["remote", "finished_at", "disposed_at"]),
  ]

  /// The statements by raw value.
  private static let statements: [String] = (0..<16).map { value in
    let groups = ColumnGroups(rawValue: value)
    let names = always + columns.filter { groups.contains($0.group) }.flatMap(\.names)
    return "UPDATE job SET " + names.map { "\($0) = ?" }.joined(separator: ", ") + " WHERE number = ?"
  }
}
