import ControlAPI
import Jobs
import Messages
import PostgreSQL

/// A command for one or many hosts: a row of `command` for each job, with the revision that the database shows, or for each host. The
/// host that has the job decides.
struct FleetRequest: Sendable {
  /// A command of jobs, `pause` or `resume`.
  let action: String
  /// The person who asks.
  let person: String
  /// The words that a host's `allow` must have.
  let needed: [String]
  /// The body of the host's call.
  private let arguments: String
  /// The selected jobs or hosts in words, for people who look at the request later.
  private let meant: String
  /// True for a pause, or the end of one.
  private let isOfHosts: Bool
  /// The identifier of all commands of the request.
  let batch = String((0..<32).map { _ in "0123456789abcdef".randomElement() ?? "0" })
  /// The numbers of commands that were asked for, that were carried out, and that have no outcome yet.
  private(set) var (count, done, open): (Int64, Int64, Int64) = (0, 0, 0)
  /// The number of jobs of hosts whose `allow` lacks the command, and a refusal of each such host.
  private(set) var (notAllowed, refusals): (Int64, [BulkAnswer.Refused]) = (0, [])
  /// The first commands that were not carried out, and one that was if it is the only one.
  private(set) var results: [(kind: FleetOutcome.Kind?, told: BulkAnswer.Refused)] = []

  /// Wishes a command of jobs.
  init(_ command: JobCommand, of meant: String, by caller: Caller) {
    action = command.name.rawValue
    var (command, needed) = (command, [action])
    if case .cancel(let reason, let remove) = command {
      command = .cancel(reason: reason?.storable, remove: remove)
      if remove { needed.append("remove") }
    }
    arguments = String(decoding: CommandBody(command).json, as: UTF8.self)
    self.needed = needed
    (self.meant, person, isOfHosts) = (meant, caller.user, false)
  }

  /// Wishes a pause, or the end of one.
  init(_ action: String, _ target: Pause.Target, on hosts: Set<String>, by caller: Caller) {
    (self.action, needed, person, isOfHosts) = (action, ["pause"], caller.user, true)
    arguments = String(decoding: PauseBody(target).json, as: UTF8.self)
    meant = target.name + (hosts.isEmpty ? "" : " on \(hosts.sorted().joined(separator: ", "))")
  }

  /// The number of jobs or hosts for which it was not done, and will not be.
  var refused: Int64 { count - done - open +| notAllowed }

  /// Asks the hosts of these jobs, or these hosts.
  ///
  /// - Parameters:
  ///   - revision: the revision that the person saw, of one job; nil for those that the database shows.
  ///   - most: the most commands that are asked for: nothing is asked for if there would be more.
  func asked(
    _ session: PostgreSQLSession, of condition: FleetCondition, revision: Int64? = nil, most: Int64 = .max
  ) throws -> FleetRequest {
    var condition = condition
    let source =
      isOfHosts
      ? "NULL::bigint AS number, NULL::bigint AS revision FROM waybill.host AS host WHERE \(condition.sql)"
      : """
      job.number, coalesce(\(condition.mark(revision.map(String.init)))::bigint, job.revision) AS revision
      FROM waybill.job AS job JOIN waybill.host AS host USING (ledger) WHERE job.id IS NOT NULL AND \(condition.sql)
      """
    let needed = condition.mark("{" + self.needed.joined(separator: ",") + "}") + "::text[]"
    let values = [
      condition.mark(batch) + "::uuid", condition.mark(action) + "::text", condition.mark(arguments) + "::jsonb",
      condition.mark(String(meant.prefix(500))) + "::text", condition.mark(person) + "::text",
    ].joined(separator: ", ")
    // hosts that are away may carry it out for a day
    let rows = try session.query(
      """
      WITH meant AS (SELECT *, string_to_array(allow, ',') @> \(needed) AS allowed
        FROM (SELECT host.ledger, host.owner, host.name, host.allow, \(source)) AS chosen),
      asked AS (
        INSERT INTO waybill.command (batch, action, arguments, meant, by_user, expires_at, ledger, owner, job, revision)
        SELECT \(values), now() + interval '24 hours', ledger, owner, number, revision FROM meant
        WHERE allowed AND (SELECT count(*) FROM meant WHERE allowed) <= \(condition.mark(String(most)))::bigint
      )
      SELECT \(FleetView.name("name")), count(*) FILTER (WHERE allowed), count(*) FILTER (WHERE NOT allowed)
      FROM meant GROUP BY ledger, name ORDER BY name, ledger
      """, condition.values
    ).rows
    var request = self
    request.count = rows.map { $0.number(1) ?? 0 }.saturatingSum
    request.open = request.count
    request.notAllowed = rows.map { $0.number(2) ?? 0 }.saturatingSum
    let words = self.needed.joined(separator: ", ")
    request.refusals = rows.filter { $0.number(2) != 0 }.map { row in
      BulkAnswer.Refused(host: row.text(0), detail: .fleetNotAllowed(host: row.text(0), action: words))
    }
    return request
  }

  /// Reads which commands have an outcome by now.
  func answered(_ session: PostgreSQLSession) throws -> FleetRequest {
    var request = self
    let counts = try session.query(
      """
      SELECT count(*) FILTER (WHERE outcome = 'done'), count(*) FILTER (WHERE outcome IS NULL) FROM waybill.command
      WHERE batch = $1::uuid
      """, [batch]
    ).first
    (request.done, request.open) = (counts?.number(0) ?? 0, counts?.number(1) ?? 0)
    request.results = try session.query(
      """
      SELECT \(FleetView.name("host.name")), command.job, \(FleetView.name("command.outcome")),
        coalesce(\(FleetView.text("command.words")), '')
      FROM waybill.command AS command JOIN waybill.host AS host USING (ledger)
      WHERE batch = $1::uuid AND outcome IS NOT NULL AND (outcome <> 'done' OR $2::bigint = 1)
      ORDER BY command.id LIMIT \(BulkAnswer.mostListed)
      """, [batch, String(count)]
    ).rows.map { row in
      let told = BulkAnswer.Refused(job: row.number(1), host: row.text(0), detail: .text(row.text(3)))
      return (FleetOutcome.Kind(rawValue: row.text(2)), told)
    }
    return request
  }
}
