public import ControlAPI
import Jobs
import Messages
public import PostgreSQL

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
  /// True for a host without a heartbeat for three intervals. A host writes its own row, which may have times that cannot be
  /// computed with: then the host counts as silent.
  static let silent = """
    (CASE WHEN host.heartbeat > interval '0' AND host.heartbeat <= interval '1 day'
      AND host.seen_at BETWEEN '2000-01-01T00:00:00Z' AND now() + interval '1 day'
    THEN host.seen_at < now() - 3 * host.heartbeat ELSE true END)
    """

  /// The most characters that are read of a text. A host may write longer ones.
  static let longestText = 10_000
  /// The most characters that are read of a name.
  static let longestName = 200

  /// The beginning of a text.
  static func text(_ column: String) -> String { "left(\(column), \(longestText))" }

  /// The beginning of a name.
  static func name(_ column: String) -> String { "left(\(column), \(longestName))" }

  /// The text of a time, as messages have it.
  static func time(_ column: String) -> String {
    #"to_char(\#(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"#
  }

  /// The text of a time to the second.
  static func second(_ column: String) -> String {
    #"to_char(\#(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"#
  }

  /// The most hosts of one role that are read. A role normally has one or a few, but could write any number.
  static let mostOfRole = 100
  /// The most gates and pauses of one role that are read.
  private static let mostHoldsOfRole = 1000

  /// Returns all hosts by name; of a role with very many hosts only the first ones.
  public static func hosts(_ session: PostgreSQLSession) throws -> [FleetHost] {
    try session.query(
      """
      SELECT ledger, \(name("name")), \(name("version")), last, applied,
        CASE WHEN octet_length(counts::text) <= \(FleetHost.longestJSON) THEN counts END, \(text("trouble")),
        CASE WHEN octet_length(problems::text) <= \(FleetHost.longestJSON) THEN problems END,
        \(name("allow")), \(second("seen_at")), extract(epoch FROM seen_at), extract(epoch FROM oldest_at),
        extract(epoch FROM now()), \(silent), extract(epoch FROM heartbeat),
        CASE WHEN place = 1 AND ledgers > \(mostOfRole) THEN ledgers END
      FROM (SELECT *, row_number() OVER (PARTITION BY owner ORDER BY first_seen_at, ledger) AS place,
        count(*) OVER (PARTITION BY owner) AS ledgers FROM waybill.host) AS host
      WHERE place <= \(mostOfRole) ORDER BY name, ledger
      """
    ).rows.map(FleetHost.init)
  }

  /// Returns the gates and pauses of all hosts, by host and destination.
  public static func holds(_ session: PostgreSQLSession) throws -> [FleetHold] {
    try session.query(
      """
      SELECT \(name("host.name")), host.ledger, \(name("gate.kind")), \(name("gate.destination")), \(text("gate.reason")),
        \(time("gate.since")), \(time("gate.until")), \(name("gate.by_user")), \(text("gate.words")),
        \(text("gate.words_said"))
      FROM (SELECT *, row_number() OVER (PARTITION BY owner ORDER BY ledger, kind, destination) AS place FROM waybill.gate)
        AS gate JOIN waybill.host AS host USING (ledger)
      WHERE place <= \(mostHoldsOfRole) ORDER BY host.name, host.ledger, gate.kind, gate.destination
      """
    ).rows.map { row in
      var hold = HoldMessage(
        destination: row.text(3), reason: row.text(4), since: moment(row[5]), until: moment(row[6]),
        by: row[7].map(CallerMessage.init(user:)))
      hold.words = row[8]
      hold.wordsSaid = row[9].flatMap(Message.init(json:))
      return FleetHold(host: row.text(0), ledger: row.text(1), isGate: row.text(2) == "gate", hold: hold)
    }
  }

  private static func moment(_ text: String?) -> MessageTime? {
    MessageTime(text.flatMap { Timestamp(rfc3339: $0) })
  }

  /// Returns the time of the database's clock, in RFC 3339.
  public static func now(_ session: PostgreSQLSession) throws -> String {
    try session.query("SELECT \(second("now()"))").first?.text(0) ?? ""
  }

  /// Returns true if the role may ask hosts for commands.
  public static func mayAsk(_ session: PostgreSQLSession) throws -> Bool {
    try session.query("SELECT has_any_column_privilege('waybill.command', 'INSERT')").first?.flag(0) ?? false
  }

  /// Removes a host with all that is known about it. Requests to it stay, but are not carried out, even if the host comes back
  /// (``FleetRequest/isForgotten``).
  ///
  /// - Returns: the number of hosts that were removed.
  /// - Throws: ``FleetNameAmbiguous`` if several hosts have this name.
  public static func forget(_ session: PostgreSQLSession, host: String) throws -> Int {
    try session.transaction {
      let ledgers = try session.query(
        "SELECT ledger FROM waybill.host AS host WHERE \(HostName.condition("$1", "host"))", [host.storable]
      ).rows.map { $0.text(0) }
      guard ledgers.count < 2 else { throw FleetNameAmbiguous(host: host) }
      func drop(_ table: String) throws {
        for ledger in ledgers { try session.query("DELETE FROM waybill.\(table) WHERE ledger = $1", [ledger]) }
      }
      // in the order in which an agent changes them, host first, so that there is no deadlock
      for table in ["host", "gate", "job", "event"] { try drop(table) }
      return ledgers.count
    }
  }
}
