import ControlAPI
import Jobs
import Messages
import PostgreSQL

/// A command for one or many hosts: a row of `command` for each job, with the revision that the person saw or the database shows. The
/// host that has the job decides.
struct FleetRequest: Sendable {
  let action: String
  let person: String
  let needed: [String]
  private let arguments: String
  let batch = String((0..<32).map { _ in "0123456789abcdef".randomElement() ?? "0" })
  /// `number`, `revision` and `id` of jobs, and their hosts, as SQL after a SELECT, with its values; nil if nobody is asked.
  private var asked: (rows: String, values: FleetCondition)?
  /// The group that is meant, and the most of its jobs, that were shown.
  private var shown: (group: JobNumber, most: Int)?
  /// The numbers of commands that were asked for, that were carried out, and that have no outcome yet.
  private(set) var (count, done, open): (Int64, Int64, Int64) = (0, 0, 0)
  /// The number of jobs for which nobody was asked, and the reasons: one of each host whose `allow` lacks the command, and those of
  /// jobs that are not known.
  private(set) var (unasked, refusals): (Int64, [BulkAnswer.Refused]) = (0, [])
  /// The first commands that were not carried out, and one that was if it is the only one.
  private(set) var results: [(kind: FleetOutcome.Kind?, told: BulkAnswer.Refused)] = []

  /// The number of jobs for which it was not done, and will not be.
  var refused: Int64 { count - done - open +| unasked }

  /// Wishes a command.
  /// - Throws: ``ProblemDocument`` if a group is another one than the one that was shown.
  init(
    _ command: JobCommand, on selection: JobSelection, by caller: Caller, _ session: PostgreSQLSession
  ) throws {
    var (command, needed) = (command, [command.name.rawValue])
    if case .cancel(let reason, let remove) = command {
      command = .cancel(reason: reason?.storable, remove: remove)
      if remove { needed.append("remove") }
    }
    (action, self.needed, person) = (command.name.rawValue, needed, caller.user)
    arguments = String(decoding: CommandBody(command).json, as: UTF8.self)
    if case .seen(let jobs) = selection { try find(jobs, session) }
    guard let filter = selection.filter(for: command.name) else { return }
    var condition = FleetCondition(filter)
    if case .group(_, let digest) = selection {
      let group = filter.like ?? JobNumber(rawValue: 0)
      guard let now = try FleetGroups.list(session, filter, changedUntil: digest.newest).first?.digest,
        digest.isAnswerable(now: now)
      else { throw ProblemDocument.changed(group, to: try FleetGroups.list(session, filter).first) }
      condition.addSeen(until: digest.newest)
      shown = (group, digest.count)
    }
    let rows = "job.number, job.revision, job.id FROM \(FleetJobs.tables) WHERE job.id IS NOT NULL AND \(condition.sql)"
    asked = (rows, condition)
  }

  /// Finds jobs that are named one by one. Each has the revision that the caller saw, or the present one.
  private mutating func find(_ jobs: [SeenJob], _ session: PostgreSQLSession) throws {
    var (ledgers, numbers, revisions, ids): ([String], [String], [String], [String]) = ([], [], [], [])
    for job in jobs {
      do {
        let place = try FleetJobs.find(session, job.job)
        ledgers.append(place.ledger)
        numbers.append(String(place.number))
        revisions.append(String(job.revision ?? place.revision))
        ids.append(place.id?.description ?? "NULL")
      } catch let problem as ProblemDocument {
        refusals.append(BulkAnswer.Refused(job.job, detail: problem.said))
      }
    }
    unasked = Int64(refusals.count)
    guard !ledgers.isEmpty else { return }
    var values = FleetCondition()
    let lists = [(ledgers, "uuid"), (numbers, "bigint"), (revisions, "bigint"), (ids, "text")].map { list, type in
      values.mark("{" + list.joined(separator: ",") + "}") + "::\(type)[]"
    }.joined(separator: ", ")
    let seen = "unnest(\(lists)) AS seen (ledger, number, revision, id)"
    asked = ("seen.number, seen.revision, seen.id FROM \(seen) JOIN waybill.host AS host USING (ledger)", values)
  }

  /// Asks the hosts.
  /// - Throws: ``ProblemDocument`` if there are more jobs in the group than were shown: then nothing is asked for.
  mutating func ask(_ session: PostgreSQLSession) throws {
    guard let asked else { return }
    var values = asked.values
    let needed = values.mark("{" + self.needed.joined(separator: ",") + "}") + "::text[]"
    let most = shown.map { Int64($0.most) } ?? .max
    let columns = [
      values.mark(batch) + "::uuid", values.mark(action) + "::text",
      values.mark(arguments) + "::jsonb || jsonb_build_object('id', id)",
      values.mark(person) + "::text",
    ].joined(separator: ", ")
    // hosts that are away may carry it out for a day
    let rows = try session.query(
      """
      WITH meant AS (SELECT *, string_to_array(allow, ',') @> \(needed) AS allowed
        FROM (SELECT host.ledger, host.owner, host.name, host.allow, \(asked.rows)) AS chosen),
      asked AS (
        INSERT INTO waybill.command (batch, action, arguments, by_user, expires_at, ledger, owner, job, revision)
        SELECT \(columns), now() + interval '24 hours', ledger, owner, number, revision FROM meant
        WHERE allowed AND (SELECT count(*) FROM meant WHERE allowed) <= \(values.mark(String(most)))::bigint
      )
      SELECT \(FleetView.name("name")), count(*) FILTER (WHERE allowed), count(*) FILTER (WHERE NOT allowed)
      FROM meant GROUP BY ledger, name ORDER BY name, ledger
      """, values.values
    ).rows
    count = rows.map { $0.number(1) ?? 0 }.saturatingSum
    // a host that allows more than before, or takes another's name, may add jobs that were not shown
    if let shown, count > most { throw ProblemDocument.changed(shown.group, to: nil) }
    open = count
    unasked +|= rows.map { $0.number(2) ?? 0 }.saturatingSum
    let words = self.needed.joined(separator: ", ")
    refusals += rows.filter { $0.number(2) != 0 }.map { row in
      BulkAnswer.Refused(host: row.text(0), detail: .fleetNotAllowed(host: row.text(0), action: words))
    }
  }

  mutating func refresh(_ session: PostgreSQLSession) throws {
    let counts = try session.query(
      """
      SELECT count(*) FILTER (WHERE outcome = 'done'), count(*) FILTER (WHERE outcome IS NULL) FROM waybill.command
      WHERE batch = $1::uuid
      """, [batch]
    ).first
    (done, open) = (counts?.number(0) ?? 0, counts?.number(1) ?? 0)
    results = try session.query(
      """
      SELECT \(FleetView.name("host.name")), command.job, \(FleetView.name("command.outcome")),
        coalesce(\(FleetView.text("command.words")), '')
      FROM waybill.command AS command JOIN waybill.host AS host USING (ledger)
      WHERE batch = $1::uuid AND outcome IS NOT NULL AND (outcome <> 'done' OR $2::bigint = 1)
      ORDER BY command.id LIMIT \(BulkAnswer.mostListed)
      """, [batch, String(count)]
    ).rows.map { row in
      let told = BulkAnswer.Refused(job: row.number(1), host: row.text(0), detail: Message(stored: row.text(3)))
      return (FleetOutcome.Kind(rawValue: row.text(2)), told)
    }
  }
}
