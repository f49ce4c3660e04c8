public import ControlAPI
import Jobs
import Messages
import PostgreSQL

extension HostStore {
  /// Writes a heartbeat with the daemon's state, if it is known.
  ///
  /// - Parameter trouble: the reason why the state is not known, or why the copy of the ledger does not go on.
  /// - Throws: ``MirrorMoved`` if another agent has taken over; ``FleetSchema/Unfit`` if the tables have become another version's;
  ///   `PostgreSQLError`.
  public func beat(_ status: StatusMessage?, trouble: String?, names: Bool) async throws {
    let (ledger, session) = (ledger, session)
    let counts = try status.map { status in
      Dictionary(uniqueKeysWithValues: status.counts.map { ($0.key.rawValue, $0.value) })
    }.map { String(decoding: try ControlJSON.encode($0), as: UTF8.self) }
    let problems = try status.map { status in
      try ControlJSON.encode(names ? status.problems : status.problems.map(\.withoutNames))
    }.map { String(decoding: $0, as: UTF8.self) }
    let gates = try status.map { status in
      try ControlJSON.encode(
        status.gates.map { GateRow(kind: "gate", hold: $0, names) }
          + status.pauses.map { GateRow(kind: "pause", hold: $0, names) })
    }.map { String(decoding: $0, as: UTF8.self) }
    let values: [String?] = [
      ledger, session, status?.version, counts, problems, trouble?.storable,
      status?.spools.compactMap(\.oldestWaiting).min().map { $0.timestamp.rfc3339 },
    ]
    try await connection.run { database in
      try FleetSchema.require(database)
      try database.transaction {
        let row = try database.query(
          """
          UPDATE waybill.host SET seen_at = now(), version = coalesce($3, version),
            counts = coalesce($4::jsonb, counts), problems = coalesce($5::jsonb, problems), trouble = $6,
            oldest_at = CASE WHEN $3::text IS NULL THEN oldest_at ELSE $7::timestamptz END
          WHERE ledger = $1 AND session = $2
          """, values)
        guard row.changed == 1 else { throw MirrorMoved() }
        guard let gates else { return }
        try database.query(
          """
          DELETE FROM waybill.gate WHERE ledger = $1 AND (kind, destination) NOT IN
            (SELECT kind, destination FROM json_to_recordset($2::json) AS new (kind text, destination text))
          """, [ledger, gates])
        try database.query(GateRow.upsert, [ledger, gates])
      }
    }
  }
}

/// A gate or a pause as the fleet's table has it.
private struct GateRow: Encodable {
  let kind: String
  let destination: String
  let reason: String
  let since: MessageTime?
  let until: MessageTime?
  let by_user: String?
  let words: String?
  let words_said: String?

  init(kind: String, hold: HoldMessage, _ names: Bool) {
    self.kind = kind
    destination = hold.destination.storable
    reason = hold.reason.storable
    since = hold.since
    until = hold.until
    by_user = hold.by?.user.storable
    words = names ? hold.words?.storable : nil
    words_said = names ? hold.wordsSaid?.storable : nil
  }

  static let upsert = """
    INSERT INTO waybill.gate AS gate (ledger, kind, destination, reason, since, until, by_user, words, words_said)
    SELECT $1, kind, destination, reason, since, until, by_user, words, words_said FROM json_to_recordset($2::json)
      AS new (kind text, destination text, reason text, since timestamptz, until timestamptz, by_user text, words text,
        words_said text)
    ON CONFLICT (ledger, kind, destination) DO UPDATE SET reason = excluded.reason, since = excluded.since,
      until = excluded.until, by_user = excluded.by_user, words = excluded.words, words_said = excluded.words_said
    WHERE (gate.reason, gate.since, gate.until, gate.by_user, gate.words, gate.words_said) IS DISTINCT FROM
      (excluded.reason, excluded.since, excluded.until, excluded.by_user, excluded.words, excluded.words_said)
    """
}
