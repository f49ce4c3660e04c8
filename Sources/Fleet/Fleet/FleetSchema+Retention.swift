import Messages
import PostgreSQL

/// Removes old rows from the database: events, and requests that have ended.
extension FleetSchema {
  /// Drops the events of that age.
  static func dropEvents(_ session: PostgreSQLSession, olderThan days: Int) throws -> [String] {
    let dropped = try session.query(
      "DELETE FROM waybill.event WHERE at < now() - make_interval(days => $1::int)", [String(days)]
    ).changed
    return dropped == 0 ? [] : ["\(dropped) events dropped"]
  }

  /// Drops the requests of that age of which no command can be carried out, with their commands; also such commands without a
  /// request. Nothing else drops requests.
  static func dropRequests(_ session: PostgreSQLSession, olderThan days: Int) throws -> [String] {
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
}
