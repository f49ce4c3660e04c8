import ControlAPI
import Jobs
import Messages
import PostgreSQL

/// The jobs that a command for many means.
struct FleetSelection {
  /// The condition of the jobs; nil if there is none.
  private(set) var condition: FleetCondition?
  /// The most jobs that were shown.
  private(set) var most = Int64.max
  /// The number of the group.
  private(set) var group = JobNumber(rawValue: 0)
  /// The named jobs that cannot be asked for.
  private(set) var refusals: [BulkAnswer.Refused] = []

  /// Finds the jobs of a selection.
  ///
  /// - Throws: ``ProblemDocument`` if a group is another one than the one that was shown.
  init(_ session: PostgreSQLSession, _ selection: JobSelection, for name: JobCommand.Name) throws {
    if case .seen(let jobs) = selection { try find(session, jobs) }
    guard let filter = selection.filter(for: name) else { return }
    condition = FleetCondition(filter)
    guard case .group(_, let shown) = selection else { return }
    (group, most) = (filter.like ?? group, Int64(shown.count))
    guard let now = try FleetGroups.list(session, filter, changedUntil: shown.newest).first?.digest,
      shown.isAnswerable(now: now)
    else {
      throw ProblemDocument.changed(group, to: try FleetGroups.list(session, filter).first)
    }
    condition?.addSeen(until: shown.newest)
  }

  /// Finds jobs that are named one by one. Each has the revision that the caller saw, or the present one.
  private mutating func find(_ session: PostgreSQLSession, _ jobs: [SeenJob]) throws {
    var (ledgers, numbers, revisions): ([String], [String], [String]) = ([], [], [])
    for job in jobs {
      do {
        let place = try FleetJobs.find(session, job.job)
        if let seen = job.revision, seen != place.revision {
          let detail = Message.revisionChanged(job: place.number, now: place.revision, seen: seen)
          refusals.append(BulkAnswer.Refused(job.job, detail: detail))
        } else {
          ledgers.append(place.ledger)
          numbers.append(String(place.number))
          revisions.append(String(place.revision))
        }
      } catch let problem as ProblemDocument {
        refusals.append(BulkAnswer.Refused(job.job, detail: problem.said))
      }
    }
    guard !ledgers.isEmpty else { return }
    var condition = FleetCondition()
    func list(_ values: [String], _ type: String) -> String {
      condition.mark("{" + values.joined(separator: ",") + "}") + "::\(type)[]"
    }
    let lists = [list(ledgers, "uuid"), list(numbers, "bigint"), list(revisions, "bigint")].joined(separator: ", ")
    condition.add("(job.ledger, job.number, job.revision) IN (SELECT * FROM unnest(\(lists)))")
    self.condition = condition
  }
}
