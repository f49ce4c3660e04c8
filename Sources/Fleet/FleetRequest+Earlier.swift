public import PostgreSQL

extension FleetRequest {
  /// What is known of an earlier request without its outcomes.
  public struct Summary: Hashable, Sendable {
    /// The request.
    public var request: FleetRequest
    /// The time at which it was asked, by the database's clock.
    public var askedAt: String
    /// The person who asked.
    public var by: String
    /// The command.
    public var action: String
  }

  /// Returns earlier requests, the newest first.
  ///
  /// - Parameter name: the first digits of one; nil for the newest ones.
  public static func earlier(_ session: PostgreSQLSession, named name: String? = nil, limit: Int) throws -> [Summary] {
    try session.query(
      """
      SELECT replace(batch::text, '-', '') AS name, count(*), min(by_user), min(action),
        to_char(min(asked_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
      FROM waybill.command WHERE starts_with(replace(batch::text, '-', ''), coalesce($1, ''))
      GROUP BY batch ORDER BY min(id) DESC LIMIT $2
      """, [name, String(limit)]
    ).rows.map { row in
      Summary(
        request: FleetRequest(batch: row.text(0), count: Int(row.number(1) ?? 0)), askedAt: row.text(4),
        by: row.text(2),
        action: row.text(3))
    }
  }
}
