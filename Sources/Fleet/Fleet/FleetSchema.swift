public import PostgreSQL

/// The tables of the fleet's database. Changes only add: an agent works with its own version and with the next one.
public enum FleetSchema {
  /// The version that this program creates and knows.
  public static let version = 1

  /// The role that the roles of all hosts are members of.
  public static let hosts = "waybill_host"
  /// The role of people who look at all hosts and ask for changes.
  public static let operators = "waybill_operator"
  /// The role of people who only look at all hosts.
  public static let viewers = "waybill_viewer"

  /// The reason why a program does not work with a database, in words with a remedy.
  public struct Unfit: Error, Hashable, Sendable, CustomStringConvertible {
    /// The words.
    public let description: String
  }

  /// Returns the version of the database; 0 if it has no tables of the fleet.
  ///
  /// - Throws: `PostgreSQLError`.
  public static func version(of session: PostgreSQLSession) throws -> Int {
    let there = try session.query("SELECT to_regclass('waybill.fleet_schema') IS NOT NULL").first?.flag(0) ?? false
    guard there else { return 0 }
    return Int(try session.query("SELECT coalesce(max(version), 0) FROM waybill.fleet_schema").first?.number(0) ?? 0)
  }

  /// Refuses a database that this program does not know how to use.
  ///
  /// - Throws: ``Unfit``, or `PostgreSQLError`.
  public static func require(_ session: PostgreSQLSession) throws {
    let found = try version(of: session)
    if let unfit = fault(found) { throw Unfit(description: unfit) }
  }

  /// Returns the reason why a version does not fit, in words; nil if it does.
  public static func fault(_ found: Int) -> String? {
    switch found {
    case 0: "the database has no tables of the fleet: its owner runs waybill-fleet migrate"
    case version, version + 1: nil
    default:
      "the database has version \(found) of the fleet's tables, and this program knows \(version): install a newer "
        + "waybill-fleet on this host"
    }
  }

  /// Creates or changes the tables. The owner of the database has to run it.
  ///
  /// - Parameter days: the age from which events and finished commands are dropped; nil keeps all.
  /// - Returns: lines that say what was done.
  /// - Throws: ``Unfit``, or `PostgreSQLError`.
  public static func migrate(_ session: PostgreSQLSession, forgettingBefore days: Int? = nil) throws -> [String] {
    if try isPublicWritable(session) { throw Unfit(description: writablePublic) }
    var done: [String] = []
    for role in [hosts, operators, viewers]
    where try session.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]).rows.isEmpty {
      try session.query("CREATE ROLE \(role) NOLOGIN")
      done.append("role \(role) made")
    }
    let found = try version(of: session)
    guard found <= version else {
      throw Unfit(
        description:
          "the database has version \(found) of the fleet's tables, which is newer than this program: install a "
          + "newer one")
    }
    if found == 0 {
      try session.transaction {
        try session.execute(script: first)
        try session.query("INSERT INTO waybill.fleet_schema (version) VALUES ($1)", [String(version)])
      }
      done.append("tables of version \(version) made")
    }
    done += try closeTables(session)
    if let days { done += try drop(session, olderThan: days) }
    return done.isEmpty ? ["nothing to do: version \(version)"] : done
  }

  /// Drops the events of that age, and the commands of that age that cannot be carried out any more.
  private static func drop(_ session: PostgreSQLSession, olderThan days: Int) throws -> [String] {
    try [("event", "at", "true"), ("command", "asked_at", "(outcome IS NOT NULL OR expires_at <= now())")].compactMap {
      table, time, isOver in
      let dropped = try session.query(
        "DELETE FROM waybill.\(table) WHERE \(time) < now() - make_interval(days => $1::int) AND \(isOver)",
        [String(days)]
      ).changed
      return dropped == 0 ? nil : "\(dropped) \(table)s dropped"
    }
  }

  /// Returns true if everybody, or the role of a host, may create objects in the schema `public`, as in a cluster that was
  /// upgraded from PostgreSQL 14 or older.
  ///
  /// - Throws: `PostgreSQLError`.
  public static func isPublicWritable(_ session: PostgreSQLSession) throws -> Bool {
    // the owner of the database and superusers need no such way
    try session.query(
      """
      SELECT bool_or(has_schema_privilege(role, to_regnamespace('public'), 'CREATE')) FROM (
        SELECT 'public' UNION ALL SELECT rolname::text FROM pg_roles WHERE NOT rolsuper
          AND pg_has_role(oid, (SELECT oid FROM pg_roles WHERE rolname = $1), 'USAGE')
          AND oid <> (SELECT datdba FROM pg_database WHERE datname = current_database())
      ) AS roles (role)
      """, [hosts]
    ).first?.flag(0) ?? false
  }

  /// The reason why such a schema is refused, and the remedy.
  public static let writablePublic = """
    anybody, or a host's role, may create in the schema public of this database, so it could have its own functions run by others: \
    REVOKE CREATE ON SCHEMA public FROM PUBLIC (and from that role), or use a database of the fleet's own
    """

  /// Returns the tables on which row-level security is off, or is not forced on their owner.
  ///
  /// - Throws: `PostgreSQLError`.
  public static func openTables(of session: PostgreSQLSession) throws -> [String] {
    try session.query(
      """
      SELECT relname FROM pg_class WHERE relnamespace = 'waybill'::regnamespace AND relkind IN ('r', 'p')
        AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY relname
      """
    ).rows.map { $0.text(0) }
  }

  /// Turns row-level security on again for the tables on which it is off or not forced.
  private static func closeTables(_ session: PostgreSQLSession) throws -> [String] {
    try openTables(of: session).map { table in
      let name = PostgreSQLSession.quoted(name: table)
      try session.execute(
        script: "ALTER TABLE waybill.\(name) ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
      return "table \(table) closed: it was open to its owner"
    }
  }
}
