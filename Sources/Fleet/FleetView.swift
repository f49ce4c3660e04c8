public import ControlAPI
package import Jobs
public import PostgreSQL

/// A host as the fleet's tables have it.
public struct FleetHost: Hashable, Sendable, Encodable {
  package var ledger: String
  package var name: String
  package var version: String
  /// The number of events that the copy has.
  package var applied: Int64
  /// The number of events that the copy lacks, as far as it knows.
  public var lag: Int64
  package var counts: [String: Int]
  /// The reason why the agent cannot tell how the host is.
  public var trouble: String?
  /// The problems that the daemon told of.
  public var problems: [ProblemMessage]
  /// The commands that it takes from elsewhere.
  package var allow: [String]
  /// The number of seconds for which the oldest unfinished job has been there; nil if there is none.
  package var oldestAge: Double?
  /// The time at which it was last heard of, by the database's clock.
  public var seenAt: String
  /// The number of seconds since then.
  public var silence: Double
  /// True if nothing was heard of it for three heartbeats.
  public var isSilent: Bool

  enum CodingKeys: String, CodingKey {
    case ledger, name, version, applied, lag, counts, trouble, problems, allow, silence
    case oldestAge = "oldest_age"
    case seenAt = "seen_at"
    case isSilent = "silent"
  }

  /// The number of jobs in a state.
  package func count(_ state: State) -> Int { counts[state.rawValue] ?? 0 }
}

/// A gate or a pause of some host.
public struct FleetHold: Hashable, Sendable {
  package var host: String
  package var ledger: String
  /// True for a gate, which closed by itself; false for a pause.
  package var isGate: Bool
  /// The gate or the pause.
  public var hold: HoldMessage
}

/// Reads the fleet's tables.
public enum FleetView {
  static let silent = "(host.seen_at < now() - 3 * host.heartbeat)"

  /// The text of a time, as messages have it.
  static func time(_ column: String) -> String {
    #"to_char(\#(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"#
  }

  /// The text of a time to the second.
  static func second(_ column: String) -> String {
    #"to_char(\#(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"#
  }

  /// Returns all hosts by name.
  public static func hosts(_ session: PostgreSQLSession) throws -> [FleetHost] {
    try session.query(
      """
      SELECT ledger, name, version, greatest(last - applied, 0), counts, trouble, problems, \(second("seen_at")),
        extract(epoch FROM now() - seen_at)::bigint, \(silent), applied, allow,
        extract(epoch FROM now() - oldest_at)::bigint
      FROM waybill.host AS host ORDER BY name, ledger
      """
    ).rows.map { row in
      FleetHost(
        ledger: row.text(0), name: row.text(1), version: row.text(2), applied: row.number(10) ?? 0,
        lag: row.number(3) ?? 0, counts: try ControlJSON.decode([String: Int].self, from: row.text(4).utf8),
        trouble: row[5], problems: try ControlJSON.decode([ProblemMessage].self, from: row.text(6).utf8),
        allow: row.text(11).split(separator: ",").map(String.init),
        oldestAge: row.number(12).map { Double(max(0, $0)) },
        seenAt: row.text(7), silence: Double(row.number(8) ?? 0), isSilent: row.flag(9))
    }
  }

  /// The gates and pauses of all hosts, by host and destination.
  public static func holds(_ session: PostgreSQLSession) throws -> [FleetHold] {
    try session.query(
      """
      SELECT host.name, host.ledger, gate.kind, gate.destination, gate.reason, \(time("gate.since")),
        \(time("gate.until")), gate.by_user, gate.words
      FROM waybill.gate AS gate JOIN waybill.host AS host USING (ledger)
      ORDER BY host.name, host.ledger, gate.kind, gate.destination
      """
    ).rows.map { row in
      FleetHold(
        host: row.text(0), ledger: row.text(1), isGate: row.text(2) == "gate",
        hold: HoldMessage(
          destination: row.text(3), reason: row.text(4), since: moment(row[5]), until: moment(row[6]), by: row[7],
          words: row[8]))
    }
  }

  private static func moment(_ text: String?) -> MessageTime? {
    MessageTime(text.flatMap { Timestamp(rfc3339: $0) })
  }

  /// The database's clock, in RFC 3339.
  public static func now(_ session: PostgreSQLSession) throws -> String {
    try session.query("SELECT \(second("now()"))").first?.text(0) ?? ""
  }

  /// True if the role may ask hosts for something.
  public static func mayAsk(_ session: PostgreSQLSession) throws -> Bool {
    try session.query("SELECT has_any_column_privilege('waybill.command', 'INSERT')").first?.flag(0) ?? false
  }

  /// Removes a host with all that is known of it.
  ///
  /// - Returns: the number of hosts that were removed.
  public static func forget(_ session: PostgreSQLSession, host: String) throws -> Int {
    try session.transaction {
      let ledgers = try session.query(
        "SELECT ledger FROM waybill.host WHERE name = $1 OR ledger::text = $1", [host]
      ).rows.map { $0.text(0) }
      func drop(_ table: String) throws {
        for ledger in ledgers { try session.query("DELETE FROM waybill.\(table) WHERE ledger = $1", [ledger]) }
      }
      // as an agent does, which changes its host first: so neither waits for the other in a circle
      for table in ["host", "gate", "job", "event"] { try drop(table) }
      // A person who asks at this moment still sees the host. Waits for those, and has the next ones wait until it is gone.
      try session.query("LOCK TABLE waybill.command IN SHARE ROW EXCLUSIVE MODE")
      try drop("command")
      return ledgers.count
    }
  }
}
