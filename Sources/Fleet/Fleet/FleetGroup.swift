import ControlAPI
package import Messages
public import PostgreSQL

/// Jobs of all hosts in one state and step at one destination, for one reason.
public struct FleetGroup: Hashable, Sendable {
  /// The properties that the jobs share.
  public struct Key: Hashable, Sendable {
    package var state: String
    package var destination: String?
    package var step: String
    package var kind: String?
    package var status: String?
    package var reason: String?

    /// The columns, in the order of the index.
    static let columns = ["state", "destination", "step", "error_kind", "error_status", "reason"]

    init(_ row: PostgreSQLRow) {
      (state, destination, step, kind, status, reason) =
        (row.text(0), row[1], row.text(2), row[3], row[4], row[5])
    }

    func add(to condition: inout FleetCondition) {
      for (column, value) in zip(Self.columns, [state, destination, step, kind, status, reason]) {
        guard let value else {
          condition.job.append("job.\(column) IS NULL")
          continue
        }
        // the planner takes the index on reasons only if it sees the state
        if column == "state", FleetGroup.waiting.contains(value) {
          condition.job.append("job.state = '\(value)'")
        } else {
          condition.addJob(value) { "job.\(column) = \($0)" + (column == "error_status" ? "::int" : "") }
        }
      }
    }
  }

  /// The states in which jobs wait for a person or an event: the same as in the index on reasons.
  package static let waiting = [
    "awaiting-confirmation", "aborted", "deferred", "awaiting-credentials", "awaiting-network",
  ]
  /// The most groups that are distinguished.
  public static let most = 1000
  /// The most groups of one role that come before those of others, so that no host fills the list.
  static let mostOfRole = 100

  package var key: Key
  /// The name of the group: that of its first job.
  package var first: String
  /// The same with the ledger instead of the host's name, which no other host has.
  package var firstByLedger: String
  /// The sentence that is shown.
  package var shown: String
  /// The code and the arguments of ``shown``, if the jobs' first message has a code; with `…` for parts that probably belong to
  /// one job.
  package var said: Message?
  package var jobs: Int64
  package var hosts: Int64
  /// The number of hosts without a heartbeat for three intervals.
  package var silentHosts: Int64
  /// The names of some of the hosts.
  package var someHosts: [String]
  /// By command, the number of jobs whose hosts allow it from elsewhere.
  package var allowed: [String: Int64]
  /// The role of the database whose hosts alone have such jobs; nil if several roles have them.
  package var role: String?
  /// The digest of the group, for an answer to it.
  package var digest: FleetDigest

  /// The commands for which allowed jobs are counted. `remove`, which deletes the objects too, is an addition to `cancel`.
  static let actions = ["confirm", "cancel", "retry", "discard", "remove"]

  /// The words that a host's `allow` must have for a command.
  static func words(for action: String) -> [String] { action == "remove" ? ["cancel", action] : [action] }

  init(_ row: PostgreSQLRow, of filter: FleetFilter) {
    key = Key(row)
    (jobs, hosts, silentHosts) = (row.number(6) ?? 0, row.number(7) ?? 0, row.number(8) ?? 0)
    (first, firstByLedger) = (row.text(9), row.text(10))
    someHosts = row.text(11).split(separator: "\n").map(String.init)
    allowed = [:]
    for (place, action) in Self.actions.enumerated() { allowed[action] = row.number(12 + place) ?? 0 }
    let words = row[12 + Self.actions.count]
    shown = words.map { ReasonText($0).sentence } ?? key.reason ?? key.kind ?? ""
    digest = FleetDigest(key, filter, jobs: jobs, snapshot: row.text(13 + Self.actions.count))
    role = row[14 + Self.actions.count]
    said = row[15 + Self.actions.count].flatMap(Message.init(json:)).flatMap { Self.said($0, shown) }
  }

  /// Returns a message whose text is the one that is shown: as it is, or with `…` as in patterns; nil if it has none.
  private static func said(_ message: Message, _ shown: String) -> Message? {
    if message.text == shown { return message }
    let pattern = message.mapTexts { ReasonText($0).pattern }
    return pattern.text == shown ? pattern : nil
  }
}

extension FleetView {
  /// The states of open questions.
  public static var questions: FleetFilter {
    var filter = FleetFilter()
    filter.states = ["awaiting-confirmation"]
    return filter
  }

  /// Counts jobs by state, destination, step and reason over all hosts, the largest group first; at most ``FleetGroup/most``.
  ///
  /// Without states it counts all jobs, which takes as long as reading them.
  public static func groups(
    _ session: PostgreSQLSession, _ filter: FleetFilter, limit: Int = FleetGroup.most
  ) throws -> [FleetGroup] {
    var condition = filter.condition
    let columns = FleetGroup.Key.columns.joined(separator: ", ")
    let hosts =
      condition.host.isEmpty
      ? "" : " AND job.ledger IN (SELECT host.ledger FROM waybill.host AS host WHERE \(condition.hosts))"
    let allowed = FleetGroup.actions.map {
      """
      sum(part.jobs) FILTER (WHERE string_to_array(host.allow, ',') @> \
      '{\(FleetGroup.words(for: $0).joined(separator: ","))}')::bigint AS \($0)
      """
    }.joined(separator: ", ")
    return try session.query(
      """
      SELECT \(columns), jobs, hosts, silent, first, ledger || '/' || number, places, \(FleetGroup.actions.joined(separator: ", ")),
        CASE WHEN jobs = 1 THEN (SELECT left(job.error_message, \(FleetView.longestText)) FROM waybill.job AS job
          WHERE job.ledger = found.ledger::uuid AND job.number = found.number) END,
        pg_current_snapshot(), CASE WHEN roles = 1 THEN role END,
        (SELECT left(job.error_said, \(FleetView.longestText)) FROM waybill.job AS job
          WHERE job.ledger = found.ledger::uuid AND job.number = found.number)
      FROM (SELECT * FROM (SELECT *,
          row_number() OVER (PARTITION BY CASE WHEN roles = 1 THEN role ELSE '' END ORDER BY jobs DESC, \(columns)) AS place
        FROM (
        SELECT \(columns), sum(part.jobs)::bigint AS jobs, count(*) AS hosts,
          count(*) FILTER (WHERE \(silent)) AS silent,
          (array_agg(left(host.name, \(FleetView.longestName)) || '/' || part.number ORDER BY host.name, host.ledger))[1] AS first,
          (array_agg(host.ledger::text ORDER BY host.name, host.ledger))[1] AS ledger,
          (array_agg(part.number ORDER BY host.name, host.ledger))[1] AS number,
          array_to_string((array_agg(translate(left(host.name, \(FleetView.longestName)), E'\\n', ' ')
            ORDER BY host.name))[1:5], E'\\n') AS places,
          count(DISTINCT host.owner) AS roles, min(host.owner::text) AS role, \(allowed)
        FROM (
          SELECT \(columns), job.ledger, count(*) AS jobs, min(job.number) AS number
          FROM waybill.job AS job WHERE \(condition.jobs)\(hosts)
          GROUP BY \(columns), job.ledger
        ) AS part JOIN waybill.host AS host USING (ledger)
        GROUP BY \(columns)
        ) AS counted) AS placed ORDER BY place > \(FleetGroup.mostOfRole), jobs DESC, \(columns) LIMIT \(condition.mark(String(limit)))
      ) AS found ORDER BY jobs DESC, \(columns)
      """, condition.values
    ).rows.map { FleetGroup($0, of: filter) }
  }

  /// Refuses names that stand for jobs of several hosts, because a person who names a job means one.
  ///
  /// - Throws: ``FleetNameAmbiguous``; `PostgreSQLError`.
  public static func requireOne(_ session: PostgreSQLSession, of names: [String]) throws {
    guard let name = try JobNames.ambiguous(session, names) else { return }
    throw FleetNameAmbiguous(name: name)
  }

  /// Returns the group of a job, by its name; nil if there is no such job.
  ///
  /// - Throws: ``FleetNameAmbiguous`` if it is the name of jobs of several groups, because hosts share a name.
  public static func group(_ session: PostgreSQLSession, of job: String) throws -> FleetGroup.Key? {
    let columns = FleetGroup.Key.columns.map { "job.\($0)" }.joined(separator: ", ")
    let keys = try session.query(
      "SELECT DISTINCT \(columns) FROM waybill.job AS job WHERE \(JobNames.condition("$1")) LIMIT 2",
      [JobNames([job]).json]
    ).rows.map(FleetGroup.Key.init)
    guard keys.count < 2 else { throw FleetNameAmbiguous(name: job) }
    return keys.first
  }
}
