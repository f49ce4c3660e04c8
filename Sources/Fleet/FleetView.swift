public import ControlAPI
import Jobs
public import PostgreSQL

/// A host as the fleet's tables have it.
public struct FleetHost: Hashable, Sendable, Encodable {
  package var ledger: String
  package var name: String
  package var version: String
  /// The number of events that the copy lacks, as far as it knows.
  public var lag: Int64
  package var counts: [String: Int]
  /// The reason why the agent cannot tell how the host is.
  public var trouble: String?
  /// The problems that the daemon told of.
  public var problems: [ProblemMessage]
  /// The time at which it was last heard of, by the database's clock.
  public var seenAt: String
  /// The number of seconds since then.
  public var silence: Double
  /// True if nothing was heard of it for three heartbeats.
  public var isSilent: Bool

  enum CodingKeys: String, CodingKey {
    case ledger, name, version, lag, counts, trouble, problems, silence
    case seenAt = "seen_at"
    case isSilent = "silent"
  }
}

/// A job of some host.
public struct FleetJob: Hashable, Sendable, Encodable {
  package var host: String
  package var ledger: String
  package var job: Int64
  package var id: String
  package var revision: Int64
  package var spool: String
  package var name: String?
  package var size: Int64
  package var step: String
  package var state: String
  package var destination: String?
  package var attempt: Int64
  package var question: String?
  package var kind: String?
  package var error: String?
  package var link: String?
  package var createdAt: String
  package var updatedAt: String
  /// True if the host was not heard of for three heartbeats: the job is shown as of then.
  public var isOfSilentHost: Bool

  enum CodingKeys: String, CodingKey {
    case host, ledger, job, id, revision, spool, name, size, step, state, destination, attempt, question, kind, error,
      link
    case createdAt = "created_at"
    case updatedAt = "updated_at"
    case isOfSilentHost = "host_silent"
  }

  /// The name by which people call it.
  public var shown: String { "\(host)/\(job)" }
}

/// Open questions of one destination for one reason, over all hosts.
public struct FleetGroup: Hashable, Sendable, Encodable {
  package var destination: String
  package var step: String
  package var reason: String
  package var jobs: Int64
  package var hosts: Int64
  /// One of them.
  public var example: String
}

/// The jobs that a person means.
public struct FleetFilter: Hashable, Sendable {
  /// The host's name or its ledger; nil for all.
  public var host: String?
  package var states: [String] = []
  package var step: String?
  package var spool: String?
  package var destination: String?
  /// A part of the name, whatever the case.
  public var name: String?
  /// A kind of failure, or a part of its words.
  public var error: String?
  /// Jobs one by one: `HOST/NUMBER` or an id.
  public var jobs: [String] = []

  /// Creates a filter for all jobs.
  public init() {}

  /// The condition with its values, which are numbered from `$1`.
  var condition: (sql: String, values: [String?]) {
    var (parts, values): ([String], [String?]) = ([], [])
    func add(_ sql: (String) -> String, _ value: String) {
      values.append(value.storable)
      parts.append(sql("$\(values.count)"))
    }
    if let host { add({ "(host.name = \($0) OR host.ledger::text = \($0))" }, host) }
    if !states.isEmpty { add({ "job.state = ANY (string_to_array(\($0), ','))" }, states.joined(separator: ",")) }
    if let step { add({ "job.step = \($0)" }, step) }
    if let spool { add({ "job.spool = \($0)" }, spool) }
    if let destination { add({ "job.destination = \($0)" }, destination) }
    if let name { add({ "strpos(lower(job.name), lower(\($0))) > 0" }, name) }
    if let error { add({ "(job.error_kind = \($0) OR strpos(lower(job.error_message), lower(\($0))) > 0)" }, error) }
    if !jobs.isEmpty {
      // a name may have anything but the separator; a host's name has no line end
      add(
        {
          """
          (host.name || '/' || job.number::text = ANY (string_to_array(\($0), E'\\n'))
            OR job.ledger::text || '/' || job.number::text = ANY (string_to_array(\($0), E'\\n'))
            OR job.id::text = ANY (string_to_array(\($0), E'\\n')))
          """
        }, jobs.joined(separator: "\n"))
    }
    return (parts.isEmpty ? "true" : parts.joined(separator: " AND "), values)
  }
}

/// Reads the fleet's tables.
public enum FleetView {
  private static let silent = "(host.seen_at < now() - 3 * host.heartbeat)"

  private static func time(_ column: String) -> String {
    #"to_char(job.\#(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"#
  }

  /// Returns all hosts by name.
  public static func hosts(_ session: PostgreSQLSession) throws -> [FleetHost] {
    try session.query(
      """
      SELECT ledger, name, version, greatest(last - applied, 0), counts, trouble, problems,
        to_char(seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        extract(epoch FROM now() - seen_at)::bigint, \(silent)
      FROM waybill.host ORDER BY name, ledger
      """
    ).rows.map { row in
      FleetHost(
        ledger: row.text(0), name: row.text(1), version: row.text(2), lag: row.number(3) ?? 0,
        counts: try ControlJSON.decode([String: Int].self, from: row.text(4).utf8), trouble: row[5],
        problems: try ControlJSON.decode([ProblemMessage].self, from: row.text(6).utf8), seenAt: row.text(7),
        silence: Double(row.number(8) ?? 0), isSilent: row.flag(9))
    }
  }

  /// Returns jobs by host and number, at most `limit`.
  public static func jobs(_ session: PostgreSQLSession, _ filter: FleetFilter, limit: Int) throws -> [FleetJob] {
    let (condition, values) = filter.condition
    return try session.query(
      """
      SELECT host.name, job.ledger, job.number, job.id, job.revision, job.spool, job.name, job.size, job.step, job.state,
        job.destination, job.attempt, job.question, job.error_kind, job.error_message, job.link, \(Self.time("created_at")),
        \(Self.time("updated_at")), \(silent)
      FROM waybill.job AS job JOIN waybill.host AS host USING (ledger) WHERE \(condition)
      ORDER BY host.name, job.ledger, job.number LIMIT $\(values.count + 1)
      """, values + [String(limit)]
    ).rows.map { row in
      FleetJob(
        host: row.text(0), ledger: row.text(1), job: row.number(2) ?? 0, id: row.text(3), revision: row.number(4) ?? 0,
        spool: row.text(5), name: row[6], size: row.number(7) ?? 0, step: row.text(8), state: row.text(9),
        destination: row[10], attempt: row.number(11) ?? 0, question: row[12], kind: row[13], error: row[14],
        link: row[15],
        createdAt: row.text(16), updatedAt: row.text(17), isOfSilentHost: row.flag(18))
    }
  }

  /// Returns the open questions, grouped by destination and reason over all hosts, the largest group first.
  public static func questions(_ session: PostgreSQLSession) throws -> [FleetGroup] {
    try session.query(
      """
      SELECT coalesce(job.destination, ''), job.step, coalesce(job.error_message, job.error_kind, ''), count(*),
        count(DISTINCT job.ledger), min(host.name || '/' || job.number::text)
      FROM waybill.job AS job JOIN waybill.host AS host USING (ledger) WHERE job.state = 'awaiting-confirmation'
      GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3
      """
    ).rows.map { row in
      FleetGroup(
        destination: row.text(0), step: row.text(1), reason: row.text(2), jobs: row.number(3) ?? 0,
        hosts: row.number(4) ?? 0, example: row.text(5))
    }
  }

  /// The gates and pauses of all hosts: host, kind, destination, reason, the time since when.
  public static func holds(_ session: PostgreSQLSession) throws -> [PostgreSQLRow] {
    try session.query(
      """
      SELECT host.name, gate.kind, gate.destination, gate.reason, coalesce(gate.by_user, '')
      FROM waybill.gate AS gate JOIN waybill.host AS host USING (ledger) ORDER BY 1, 2, 3
      """
    ).rows
  }

  /// The events of one job, the oldest first: time, event, message.
  public static func history(_ session: PostgreSQLSession, of job: FleetJob) throws -> [PostgreSQLRow] {
    try session.query(
      """
      SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), event, coalesce(message, ''),
        coalesce(by_user, '')
      FROM waybill.event WHERE ledger = $1 AND job = $2 ORDER BY generation, sequence
      """, [job.ledger, String(job.job)]
    ).rows
  }

  /// Removes a host with all that is known of it.
  ///
  /// - Returns: the number of hosts that were removed.
  public static func forget(_ session: PostgreSQLSession, host: String) throws -> Int {
    try session.transaction {
      let ledgers = try session.query(
        "SELECT ledger FROM waybill.host WHERE name = $1 OR ledger::text = $1", [host]
      ).rows.map { $0.text(0) }
      for ledger in ledgers {
        for table in ["command", "event", "job", "gate", "host"] {
          try session.query("DELETE FROM waybill.\(table) WHERE ledger = $1", [ledger])
        }
      }
      return ledgers.count
    }
  }
}
