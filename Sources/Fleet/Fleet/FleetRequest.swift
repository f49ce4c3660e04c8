import ControlAPI
import Jobs
import Messages
import PostgreSQL

/// A command for one or many hosts: one row of `request`, and one row of `command` for each job, with the revision that the
/// database shows. The host that has the job decides.
struct FleetRequest: Sendable {
  /// The identifier of all commands of the request.
  let batch: String
  /// The number of commands that were asked for.
  let count: Int64
  /// The number of jobs of hosts whose `allow` lacks the command, and a refusal of each such host.
  var refused: Int64 = 0
  var refusals: [BulkAnswer.Refused] = []

  /// A wish: the command that is asked for, and the person who asks.
  struct Wish {
    /// A command of jobs, `pause` or `resume`.
    let action: String
    /// The body of the host's call.
    fileprivate let arguments: String
    /// The words that a host's `allow` must have.
    let needed: [String]
    /// True for a pause, or the end of one.
    fileprivate let isOfHosts: Bool
    /// The selected jobs or hosts in words, for people who look at the request later.
    fileprivate let meant: String
    let person: String

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
  }

  /// The time in which hosts that are away may still carry it out.
  private static let expiry = "now() + interval '24 hours'"

  /// True for a command of a host that was forgotten since it was asked for: it is not carried out, even if the host comes back.
  private static let isForgotten = """
    (NOT EXISTS (SELECT FROM waybill.host AS home WHERE home.ledger = command.ledger AND home.owner = command.owner
      AND home.first_seen_at <= command.asked_at))
    """

  /// Asks for a command about jobs, or asks hosts to pause or to resume.
  ///
  /// - Parameter revision: the revision that the person saw, of one job; nil for those that the database shows.
  static func ask(
    _ session: PostgreSQLSession, _ wish: Wish, of condition: FleetCondition, revision: Int64? = nil
  ) throws -> FleetRequest {
    var condition = condition
    let source =
      wish.isOfHosts
      ? "NULL::bigint AS number, NULL::bigint AS revision FROM waybill.host AS host WHERE \(condition.sql)"
      : """
      job.number, coalesce(\(condition.mark(revision.map(String.init)))::bigint, job.revision) AS revision
      FROM waybill.job AS job JOIN waybill.host AS host USING (ledger) WHERE job.id IS NOT NULL AND \(condition.sql)
      """
    let batch = String((0..<32).map { _ in "0123456789abcdef".randomElement() ?? "0" })
    let (id, action) = (condition.mark(batch) + "::uuid", condition.mark(wish.action) + "::text")
    let (arguments, person) = (condition.mark(wish.arguments) + "::jsonb", condition.mark(wish.person) + "::text")
    let meant = condition.mark(String(wish.meant.prefix(500))) + "::text"
    let needed = condition.mark("{" + wish.needed.joined(separator: ",") + "}") + "::text[]"
    let rows = try session.query(
      """
      WITH meant AS (SELECT *, string_to_array(allow, ',') @> \(needed) AS allowed
        FROM (SELECT host.ledger, host.owner, host.name, host.allow, \(source)) AS chosen),
      asked AS (
        INSERT INTO waybill.command (batch, action, arguments, by_user, expires_at, ledger, owner, job, revision)
        SELECT \(id), \(action), \(arguments), \(person), \(expiry), ledger, owner, number, revision FROM meant WHERE allowed
        RETURNING 1
      ), request AS (
        INSERT INTO waybill.request (batch, action, arguments, meant, commands, by_user, expires_at)
        SELECT \(id), \(action), \(arguments), \(meant), count(*), \(person), \(expiry) FROM asked HAVING count(*) > 0
        RETURNING 1
      )
      SELECT \(FleetView.name("name")), count(*) FILTER (WHERE allowed), count(*) FILTER (WHERE NOT allowed)
      FROM meant GROUP BY ledger, name ORDER BY name, ledger
      """, condition.values
    ).rows
    var request = FleetRequest(batch: batch, count: rows.map { $0.number(1) ?? 0 }.saturatingSum)
    request.refused = rows.map { $0.number(2) ?? 0 }.saturatingSum
    let words = wish.needed.joined(separator: ", ")
    request.refusals = rows.filter { $0.number(2) != 0 }.map { row in
      BulkAnswer.Refused(host: row.text(0), detail: .fleetNotAllowed(host: row.text(0), action: words))
    }
    return request
  }

  /// Notifies the agents that are asked, in a transaction of its own. It is only a hint, which nothing waits for: without it the
  /// agents look a little later.
  func hinted(_ session: PostgreSQLSession) -> FleetRequest {
    guard count > 0 else { return self }
    _ = try? session.query(
      """
      SELECT count(pg_notify('\(CommandCarrier.channel)' || replace(ledger::text, '-', ''), ''))
      FROM (SELECT DISTINCT ledger FROM waybill.command WHERE batch = $1::uuid) AS asked
      """, [batch])
    return self
  }

  /// The state of a request.
  struct Progress: Sendable {
    /// The numbers of commands that were carried out, and that have no outcome yet.
    var done: Int64 = 0
    var open: Int64 = 0
    /// The first commands that were not carried out, and one that was if it is the only one.
    var results: [(kind: FleetOutcome.Kind?, told: BulkAnswer.Refused)] = []
  }

  /// Reads the state of the request.
  func progress(_ session: PostgreSQLSession) throws -> Progress {
    var progress = Progress()
    let counts = try session.query(
      """
      SELECT count(*) FILTER (WHERE outcome = 'done'), count(*) FILTER (WHERE outcome IS NULL) FROM waybill.command
      WHERE batch = $1::uuid
      """, [batch]
    ).first
    (progress.done, progress.open) = (counts?.number(0) ?? 0, counts?.number(1) ?? 0)
    progress.results = try session.query(
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
    return progress
  }

  /// The commands that a host has not carried out yet: their number, and the seconds for which the oldest one has been waiting.
  typealias Waiting = (commands: Int64, oldestAge: Int64)

  /// Returns the commands that wait, by ledger; hosts without any are left out.
  static func waiting(_ session: PostgreSQLSession) throws -> [String: Waiting] {
    let rows = try session.query(
      """
      SELECT ledger, count(*), extract(epoch FROM now() - min(asked_at))::bigint FROM waybill.command AS command
      WHERE outcome IS NULL AND expires_at > now() AND NOT \(isForgotten) GROUP BY ledger
      """
    ).rows
    return Dictionary(
      rows.map { ($0.text(0), ($0.number(1) ?? 0, max(0, $0.number(2) ?? 0))) }, uniquingKeysWith: { first, _ in first }
    )
  }
}
