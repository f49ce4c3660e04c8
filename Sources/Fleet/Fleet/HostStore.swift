import ControlAPI
import Linux
import Messages
public import PostgreSQL

/// The rows of one ledger in the fleet's database, written under the agent's own session.
public struct HostStore: MirrorStore {
  let connection: PostgreSQLConnection
  let ledger: String
  let session: String

  /// An error: another agent writes this ledger in the database.
  public struct Refused: Error, Hashable, Sendable, CustomStringConvertible {
    /// The words.
    public let description: String
  }

  /// Becomes the agent of a ledger in the database.
  ///
  /// - Parameters:
  ///   - names: false removes what an earlier agent of this ledger wrote about files, and makes all jobs be read again without
  ///     it.
  ///   - session: a name that is the same at each start of a host's agent, and that a copy of the host's disk does not have.
  /// - Returns: the store and the present position.
  /// - Throws: ``Refused`` if another agent had a heartbeat within three intervals; `PostgreSQLError`.
  public static func open(
    _ connection: PostgreSQLConnection, ledger: String, session: String, name: String, allow: [String],
    heartbeat: Duration, names: Bool = true
  ) async throws -> (store: HostStore, position: MirrorPosition) {
    let values: [String?] = [
      ledger, name.storable, session, "\(heartbeat.seconds) seconds", allow.sorted().joined(separator: ","),
      names ? "t" : "f",
    ]
    let position = try await connection.run { database -> MirrorPosition in
      try FleetSchema.require(database)
      do {
        let row = try database.query(
          """
          INSERT INTO waybill.host AS host (ledger, name, session, heartbeat, allow, names)
          VALUES ($1, $2, $3, $4, $5, $6)
          ON CONFLICT (ledger) DO UPDATE SET name = excluded.name, session = excluded.session,
            heartbeat = excluded.heartbeat, allow = excluded.allow, seen_at = now(), trouble = NULL,
            names = host.names OR excluded.names
          WHERE host.session IS NULL OR host.session = excluded.session OR host.seen_at < now() - 3 * host.heartbeat
          RETURNING generation, applied, seen, names
          """, values
        ).first
        if let row {
          let isToForget = !names && row.flag(3)
          if isToForget { try forgetNames(database, ledger) }
          return MirrorPosition(
            generation: row.number(0) ?? 0, applied: row.number(1) ?? 0, seen: isToForget ? nil : row[2])
        }
      } catch let error as PostgreSQLError where error.isOfRights {
        throw Refused(
          description: "this role may not write rows of ledger \(ledger): \(error.message). Is it a member of "
            + "\(FleetSchema.hosts), and does the ledger not belong to another role?")
      }
      let other = try database.query("SELECT name, seen_at FROM waybill.host WHERE ledger = $1", [ledger]).first
      throw Refused(
        description: "another agent already keeps ledger \(ledger)"
          + (other.map { " (as \"\($0.text(0))\", last heard of at \($0.text(1)))" } ?? "")
          + ": was this machine's disk copied? A copy needs a ledger of its own: empty its state directory")
    }
    return (HostStore(connection: connection, ledger: ledger, session: session), position)
  }

  /// Removes what may name a file, for a host that showed names before and does not show them now. It is one transaction: until
  /// its end the host's row says that names may be there.
  private static func forgetNames(_ database: PostgreSQLSession, _ ledger: String) throws {
    try database.transaction {
      for statement in [
        "UPDATE waybill.host SET names = false, seen = NULL, problems = '[]', trouble = NULL WHERE ledger = $1",
        "DELETE FROM waybill.job WHERE ledger = $1",
        "UPDATE waybill.event SET message = event, message_said = NULL, reason = NULL, reason_said = NULL WHERE ledger = $1",
        "UPDATE waybill.gate SET words = NULL, words_said = NULL WHERE ledger = $1",
        "UPDATE waybill.command SET words = NULL WHERE ledger = $1 AND outcome IS NOT NULL",
      ] { try database.query(statement, [ledger]) }
    }
  }

  /// Ends the agent's session, so that another agent need not wait.
  public func close() async throws {
    let values = [ledger, session]
    try await connection.run { database in
      _ = try database.query("UPDATE waybill.host SET session = NULL WHERE ledger = $1 AND session = $2", values)
    }
  }

  /// Makes a change in one transaction.
  ///
  /// - Throws: ``MirrorMoved``; `PostgreSQLError`.
  public func apply(_ batch: MirrorBatch) async throws {
    let (ledger, session) = (ledger, session)
    let events = batch.events.isEmpty ? nil : EventRow.json(batch.events)
    let rows = batch.rows.isEmpty ? nil : MirrorRow.json(batch.rows)
    try await connection.run { database in
      try database.transaction {
        try Self.move(batch, ledger, session, database)
        let generation = String(batch.to.generation)
        if let after = batch.forgottenEventsAfter {
          try database.query(
            "DELETE FROM waybill.event WHERE ledger = $1 AND generation = $2 AND sequence > $3",
            [ledger, generation, String(after)])
        }
        if let events { try database.query(EventRow.insert, [ledger, generation, events]) }
        if !batch.gone.isEmpty {
          try database.query(
            "DELETE FROM waybill.job WHERE ledger = $1 AND number = ANY ($2::bigint[])",
            [ledger, "{\(batch.gone.map(String.init).joined(separator: ","))}"])
        }
        if let whole = batch.whole {
          try database.query(
            """
            DELETE FROM waybill.job WHERE ledger = $1 AND number BETWEEN $2 AND $3 AND number <> ALL ($4::bigint[])
            """,
            [
              ledger, String(whole.lowerBound), String(whole.upperBound),
              "{\(batch.rows.map { String($0.number) }.joined(separator: ","))}",
            ])
        }
        if let rows { try database.query(Self.upsert, [ledger, rows]) }
        Failpoint.agentBatchCommitting.pass()
      }
      Failpoint.agentBatchCommitted.pass()
    }
  }

  /// Moves the position, if it is still the one at which the change begins and the session is still this agent's.
  private static func move(
    _ batch: MirrorBatch, _ ledger: String, _ session: String, _ database: PostgreSQLSession
  ) throws {
    let moved = try database.query(
      """
      UPDATE waybill.host SET generation = $3, applied = $4, seen = $5, last = $6, seen_at = now()
      WHERE ledger = $1 AND session = $2 AND generation = $7 AND applied = $8 AND seen IS NOT DISTINCT FROM $9
      """,
      [
        ledger, session, String(batch.to.generation), String(batch.to.applied), batch.to.seen, String(batch.last),
        String(batch.from.generation), String(batch.from.applied), batch.from.seen,
      ])
    guard moved.changed == 1 else { throw MirrorMoved() }
  }

  private static let columns = MirrorRow.columns.joined(separator: ", ")
  private static let others = MirrorRow.columns.filter { $0 != "number" }

  /// Writes jobs as they are, except for rows that are the same already.
  private static let upsert = """
    INSERT INTO waybill.job AS job (ledger, \(columns))
    SELECT $1, \(columns) FROM json_to_recordset($2::json) AS new (\(MirrorRow.definition))
    ON CONFLICT (ledger, number) DO UPDATE SET
      \(others.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
    WHERE (\(others.map { "job.\($0)" }.joined(separator: ", ")))
      IS DISTINCT FROM (\(others.map { "excluded.\($0)" }.joined(separator: ", ")))
    """
}

/// An event as the fleet's table has it.
private struct EventRow {
  /// The events as an array of JSON: what is absent is NULL.
  static func json(_ events: [ChangesMessage.Event]) -> String {
    var text = JSONText()
    text.array { text in
      for event in events {
        text.object { text in
          text.member("sequence", event.sequence)
          text.member("at", event.at)
          text.member("event", event.event)
          text.member("message", event.message)
          if let said = event.messageSaid { text.member("message_said", said.storable) }
          if let job = event.job { text.member("job", job) }
          if let by = event.by { text.member("by_user", by.user) }
          if let reason = event.reason { text.member("reason", reason) }
          if let said = event.reasonSaid { text.member("reason_said", said.storable) }
        }
      }
    }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  private static let columns =
    "sequence, at, event, message, message_said, job, by_user, reason, reason_said"

  /// Inserts events. An event that is there already is an error: none may be applied twice.
  static let insert = """
    INSERT INTO waybill.event (ledger, generation, \(columns))
    SELECT $1, $2, \(columns) FROM json_to_recordset($3::json) AS new (sequence bigint, at timestamptz, event text,
      message text, message_said text, job bigint, by_user text, reason text, reason_said text)
    """
}

extension Duration {
  /// The number of seconds with its fraction.
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
