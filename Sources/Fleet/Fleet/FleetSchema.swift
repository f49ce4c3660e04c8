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

  /// Returns the version of the database, which the schema's comment has; 0 if it has no tables of the fleet.
  /// - Throws: `PostgreSQLError`.
  public static func version(of session: PostgreSQLSession) throws -> Int {
    let found = try session.query("SELECT obj_description(to_regnamespace('waybill'), 'pg_namespace')").first?.number(0)
    return Int(found ?? 0)
  }

  /// Refuses a database that this program does not know how to use.
  /// - Throws: ``Unfit``, or `PostgreSQLError`.
  public static func require(_ session: PostgreSQLSession) throws {
    let found = try version(of: session)
    guard found > 0 else {
      throw Unfit(description: "the database has no tables of the fleet: its owner runs waybill-fleet migrate")
    }
    guard found <= version + 1 else {
      throw Unfit(
        description: "the database has version \(found) of the fleet's tables, and this program knows \(version): "
          + "install a newer waybill-fleet on this host")
    }
  }

  /// Creates or changes the tables. The owner of the database has to run it.
  /// - Parameter days: the age from which events and finished commands are dropped; nil keeps all.
  /// - Returns: lines that say what was done.
  /// - Throws: ``Unfit``, or `PostgreSQLError`.
  public static func migrate(_ session: PostgreSQLSession, forgettingBefore days: Int? = nil) throws -> [String] {
    try requireOwnFunctions(session)
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
      try session.execute(script: first)
      done.append("tables of version \(version) made")
    }
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

  /// Refuses a database in which everybody, or the role of a host, may create objects in the schema `public`, as in a cluster that was
  /// upgraded from PostgreSQL 14 or older.
  /// - Throws: ``Unfit``, or `PostgreSQLError`.
  public static func requireOwnFunctions(_ session: PostgreSQLSession) throws {
    // the owner of the database and superusers need no such way
    let isWritable = try session.query(
      """
      SELECT bool_or(has_schema_privilege(role, to_regnamespace('public'), 'CREATE')) FROM (
        SELECT 'public' UNION ALL SELECT rolname::text FROM pg_roles WHERE NOT rolsuper
          AND pg_has_role(oid, (SELECT oid FROM pg_roles WHERE rolname = $1), 'USAGE')
          AND oid <> (SELECT datdba FROM pg_database WHERE datname = current_database())
      ) AS roles (role)
      """, [hosts]
    ).first?.flag(0)
    guard isWritable == true else { return }
    throw Unfit(
      description:
        "anybody, or a host's role, may create in the schema public of this database, so it could have its own functions "
        + "run by others: REVOKE CREATE ON SCHEMA public FROM PUBLIC (and from that role), or use a database of the "
        + "fleet's own")
  }
}
