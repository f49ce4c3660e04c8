import Messages
import PostgreSQL

/// Removes old rows from the database: events by month, and requests that have ended.
extension FleetSchema {
  /// Drops the tables of months that ended so many days ago.
  static func dropMonths(_ session: PostgreSQLSession, olderThan days: Int) throws -> [String] {
    let old = try session.query(
      """
      SELECT child.relname FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
      WHERE inhparent = 'waybill.event'::regclass AND child.relname ~ '^event_[0-9]{4}_[0-9]{2}$'
        AND to_date(substr(child.relname, 7), 'YYYY_MM') + interval '1 month' < now() - make_interval(days => $1::int)
      """, [String(days)])
    for table in old.rows {
      try session.execute(script: "DROP TABLE waybill.\(PostgreSQLSession.quoted(name: table.text(0)))")
    }
    return old.rows.map { "\($0.text(0)) dropped" }
  }

  /// Drops the requests of that age of which no command can be carried out, with their commands; also such commands without a
  /// request. Nothing else drops requests.
  static func dropRequests(_ session: PostgreSQLSession, olderThan days: Int) throws -> [String] {
    try letOwnerDrop(session)
    let dropped = try session.query(
      """
      WITH old AS (
        DELETE FROM waybill.request AS request WHERE asked_at < now() - make_interval(days => $1::int)
          AND NOT EXISTS (SELECT FROM waybill.command AS command
            WHERE command.batch = request.batch AND command.outcome IS NULL AND command.expires_at > now())
        RETURNING batch
      ), gone AS (
        DELETE FROM waybill.command AS command WHERE asked_at < now() - make_interval(days => $1::int)
          AND (batch IN (SELECT batch FROM old)
            OR NOT (outcome IS NULL AND expires_at > now())
              AND NOT EXISTS (SELECT FROM waybill.request AS request WHERE request.batch = command.batch))
        RETURNING 1
      )
      SELECT (SELECT count(*) FROM old), (SELECT count(*) FROM gone)
      """, [String(days)]
    ).first
    guard let dropped, (dropped.number(0) ?? 0) +| (dropped.number(1) ?? 0) > 0 else { return [] }
    return ["\(dropped.text(0)) requests with \(dropped.text(1)) commands dropped"]
  }

  /// Lets the owner of the tables see and drop requests that are older than a day: FORCE applies row-level security to the owner
  /// too. A request and its commands have the same time, so that either all of them are visible or none.
  private static func letOwnerDrop(_ session: PostgreSQLSession) throws {
    let isFree =
      try session.query("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user").first?.flag(0)
      ?? false
    if isFree { return }
    let there = try session.query(
      """
      SELECT tablename FROM pg_policies
      WHERE schemaname = 'waybill' AND policyname = 'owner_drops' AND current_user = ANY (roles)
      """
    ).rows.map { $0.text(0) }
    for table in ["request", "command"] where !there.contains(table) {
      try session.execute(
        script: """
          DROP POLICY IF EXISTS owner_sees_old ON waybill.\(table);
          DROP POLICY IF EXISTS owner_drops ON waybill.\(table);
          CREATE POLICY owner_sees_old ON waybill.\(table) FOR SELECT TO CURRENT_USER
            USING (asked_at < now() - interval '1 day');
          CREATE POLICY owner_drops ON waybill.\(table) FOR DELETE TO CURRENT_USER
            USING (asked_at < now() - interval '1 day');
          """)
    }
  }
}
