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
  /// By host, the number of jobs for which its `allow` lacks the command.
  var notAllowed: [(host: String, jobs: Int64)] = []

  /// A wish: the command that is asked for, and the person who asks.
  struct Wish {
    /// A command of jobs, `pause` or `resume`.
    var action: String
    var reason: String?
    var remove = false
    /// The target of a pause.
    var target: String?
    /// The selected jobs or hosts in words, for people who look at the request later.
    var meant: String
    var person: String

    /// The words that a host's `allow` must have.
    var needed: [String] {
      action == "pause" || action == "resume" ? ["pause"] : [action] + (remove ? ["remove"] : [])
    }

    fileprivate var arguments: String {
      var text = JSONText()
      text.object { text in
        if let reason { text.member("reason", reason) }
        if remove { text.member("remove", true) }
        if let target { text.member("target", target) }
      }
      return String(decoding: text.bytes, as: UTF8.self)
    }
  }

  /// The time in which hosts that are away may still carry it out.
  private static let expiry = "now() + interval '24 hours'"

  /// True for a command of a host that was forgotten since it was asked for: it is not carried out, even if the host comes back.
  static let isForgotten = """
    (NOT EXISTS (SELECT FROM waybill.host AS home WHERE home.ledger = command.ledger AND home.owner = command.owner
      AND home.first_seen_at <= command.asked_at))
    """

  /// Asks for a command about jobs.
  ///
  /// - Parameter revision: the revision that the person saw, of one job; nil for those that the database shows.
  static func ask(
    _ session: PostgreSQLSession, _ wish: Wish, of condition: FleetCondition, revision: Int64? = nil
  ) throws -> FleetRequest {
    var condition = condition
    let seen = condition.mark(revision.map(String.init))
    return try insert(
      session, wish, condition,
      selecting: """
        job.ledger, host.owner, host.name, host.allow, job.number, coalesce(\(seen)::bigint, job.revision) AS revision
        FROM waybill.job AS job JOIN waybill.host AS host USING (ledger) WHERE job.id IS NOT NULL AND \(condition.sql)
        """)
  }

  /// Asks hosts to pause or to resume.
  static func ask(_ session: PostgreSQLSession, _ wish: Wish, on hosts: Set<String>) throws -> FleetRequest {
    let condition = FleetCondition(hosts: hosts)
    return try insert(
      session, wish, condition,
      selecting: """
        host.ledger, host.owner, host.name, host.allow, NULL::bigint AS number, NULL::bigint AS revision
        FROM waybill.host AS host WHERE \(condition.sql)
        """)
  }

  private static func insert(
    _ session: PostgreSQLSession, _ wish: Wish, _ condition: FleetCondition, selecting source: String
  ) throws -> FleetRequest {
    var condition = condition
    let batch = String((0..<32).map { _ in "0123456789abcdef".randomElement() ?? "0" })
    let (id, action) = (condition.mark(batch) + "::uuid", condition.mark(wish.action) + "::text")
    let (arguments, person) = (condition.mark(wish.arguments) + "::jsonb", condition.mark(wish.person) + "::text")
    let meant = condition.mark(String(wish.meant.prefix(500))) + "::text"
    let needed = condition.mark("{" + wish.needed.joined(separator: ",") + "}") + "::text[]"
    let rows = try session.query(
      """
      WITH meant AS (SELECT *, string_to_array(allow, ',') @> \(needed) AS allowed FROM (SELECT \(source)) AS chosen),
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
    request.notAllowed = rows.map { (host: $0.text(0), jobs: $0.number(2) ?? 0) }.filter { $0.jobs > 0 }
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
    var results: [Result] = []

    /// The outcome of one command.
    struct Result: Sendable {
      var host: String
      var job: Int64?
      var outcome: String
      var words: String
    }
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
    ).rows.map { Progress.Result(host: $0.text(0), job: $0.number(1), outcome: $0.text(2), words: $0.text(3)) }
    return progress
  }
}

extension FleetRequest.Wish {
  init(_ command: JobCommand, meant: String, person: String) {
    self.init(action: command.name.rawValue, meant: meant, person: person)
    if case .cancel(let reason, let remove) = command { (self.reason, self.remove) = (reason, remove) }
  }
}

/// The commands that one host has not carried out yet.
struct FleetWaiting {
  var ledger: String
  /// The number of commands.
  var commands: Int64
  /// The number of seconds for which the oldest one has been waiting.
  var oldestAge: Int64

  /// Returns the commands that wait, by host; hosts without any are left out.
  static func list(_ session: PostgreSQLSession) throws -> [FleetWaiting] {
    try session.query(
      """
      SELECT ledger, count(*), extract(epoch FROM now() - min(asked_at))::bigint FROM waybill.command AS command
      WHERE outcome IS NULL AND expires_at > now() AND NOT \(FleetRequest.isForgotten) GROUP BY ledger
      """
    ).rows.map {
      FleetWaiting(ledger: $0.text(0), commands: $0.number(1) ?? 0, oldestAge: max(0, $0.number(2) ?? 0))
    }
  }
}
