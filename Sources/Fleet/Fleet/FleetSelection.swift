import ControlAPI
import Jobs
import Messages
import PostgreSQL

/// The jobs that a command for many means.
struct FleetSelection {
  var condition: FleetCondition
  /// The most jobs that were shown.
  var most = Int64.max
  /// The number of the group.
  var group = JobNumber(rawValue: 0)

  /// Returns the jobs, and those of them that cannot be asked for; nil if there is none.
  ///
  /// - Throws: ``ProblemDocument`` if a group is another one than the one that was shown.
  static func jobs(
    _ session: PostgreSQLSession, _ selection: JobSelection, for name: JobCommand.Name
  ) throws -> (FleetSelection?, [BulkAnswer.Refused]) {
    if case .seen(let jobs) = selection { return try seen(session, jobs) }
    guard let filter = selection.filter(for: name) else { return (nil, []) }
    guard case .group(_, let shown) = selection else {
      return (FleetSelection(condition: FleetCondition(filter)), [])
    }
    let group = filter.like ?? JobNumber(rawValue: 0)
    guard let now = try FleetGroups.list(session, filter, changedUntil: shown.newest).first?.digest,
      shown.isAnswerable(now: now)
    else {
      throw ProblemDocument.changed(group, to: try FleetGroups.list(session, filter).first)
    }
    var condition = FleetCondition(filter)
    condition.addSeen(until: shown.newest)
    return (FleetSelection(condition: condition, most: Int64(shown.count), group: group), [])
  }

  /// Looks up jobs that are named one by one. Each has the revision that the caller saw, or the present one.
  private static func seen(
    _ session: PostgreSQLSession, _ jobs: [SeenJob]
  ) throws -> (FleetSelection?, [BulkAnswer.Refused]) {
    var refusals: [BulkAnswer.Refused] = []
    var found = JSONText()
    try found.array { text in
      for job in jobs {
        do {
          let place = try FleetJobs.find(session, job.job)
          if let revision = job.revision, revision != place.revision {
            let now = place.revision
            refusals.append(
              BulkAnswer.Refused(job.job, detail: .revisionChanged(job: place.number, now: now, seen: revision)))
            continue
          }
          text.object { text in
            text.member("ledger", place.ledger)
            text.member("number", place.number)
            text.member("revision", place.revision)
          }
        } catch let problem as ProblemDocument {
          refusals.append(BulkAnswer.Refused(job.job, detail: problem.said))
        }
      }
    }
    guard refusals.count < jobs.count else { return (nil, refusals) }
    var condition = FleetCondition()
    condition.add(String(decoding: found.bytes, as: UTF8.self)) {
      """
      (job.ledger, job.number, job.revision) IN (SELECT ledger, number, revision
        FROM json_to_recordset(\($0)::json) AS seen (ledger uuid, number bigint, revision bigint))
      """
    }
    return (FleetSelection(condition: condition), refusals)
  }
}
