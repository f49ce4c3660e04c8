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
    var (found, refusals): ([FleetJobs.Found], [BulkAnswer.Refused]) = ([], [])
    for job in jobs {
      do {
        let place = try FleetJobs.find(session, job.job)
        if let seen = job.revision, seen != place.revision {
          let detail = Message.revisionChanged(job: place.number, now: place.revision, seen: seen)
          refusals.append(BulkAnswer.Refused(job.job, detail: detail))
        } else {
          found.append(place)
        }
      } catch let problem as ProblemDocument {
        refusals.append(BulkAnswer.Refused(job.job, detail: problem.said))
      }
    }
    guard !found.isEmpty else { return (nil, refusals) }
    var condition = FleetCondition()
    func list(_ values: [String], _ type: String) -> String {
      condition.mark("{" + values.joined(separator: ",") + "}") + "::\(type)[]"
    }
    let (ledgers, numbers) = (list(found.map(\.ledger), "uuid"), list(found.map { String($0.number) }, "bigint"))
    let revisions = list(found.map { String($0.revision) }, "bigint")
    condition.add(
      "(job.ledger, job.number, job.revision) IN (SELECT * FROM unnest(\(ledgers), \(numbers), \(revisions)))")
    return (FleetSelection(condition: condition), refusals)
  }
}
