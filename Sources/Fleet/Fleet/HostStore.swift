import Jobs
import Linux
import Messages
import PostgreSQL
import Seams

/// The rows of one ledger in the fleet's database, written under the agent's own session.
struct HostStore: Sendable {
  private let connection: PostgreSQLConnection
  private let ledger: String
  private let session: String

  /// An error: another agent writes this ledger in the database.
  struct Refused: Error, Hashable, Sendable, CustomStringConvertible {
    /// The words.
    let description: String
  }

  /// Becomes the agent of a ledger in the database.
  ///
  /// - Parameters:
  ///   - names: false removes what an earlier agent of this ledger wrote about files, and makes all jobs be read again without
  ///     it.
  ///   - session: a name that is the same at each start of a host's agent, and that a copy of the host's disk does not have.
  /// - Returns: the store and the present position.
  /// - Throws: ``Refused`` if another agent had a heartbeat within three intervals; `PostgreSQLError`.
  static func open(
    _ connection: PostgreSQLConnection, ledger: String, session: String, name: String, allow: [String],
    heartbeat: Duration, names: Bool = true
  ) async throws -> (store: HostStore, position: MirrorPosition) {
    let values: [String?] = [
      ledger, name.storable, session, "\(heartbeat.microseconds) microseconds", allow.sorted().joined(separator: ","),
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
        "UPDATE waybill.host SET names = false, seen = NULL, status = '{}', trouble = NULL WHERE ledger = $1",
        "DELETE FROM waybill.job WHERE ledger = $1",
        """
        UPDATE waybill.event SET doc = jsonb_strip_nulls(jsonb_build_object('id', sequence, 'at', doc -> 'at', 'event', event,
          'message', event, 'job', job, 'revision', doc -> 'revision', 'step', doc -> 'step', 'by', doc -> 'by',
          'spool', doc -> 'spool', 'destination', doc -> 'destination')) WHERE ledger = $1
        """,
        "UPDATE waybill.command SET words = NULL WHERE ledger = $1 AND outcome IS NOT NULL",
      ] { try database.query(statement, [ledger]) }
    }
  }

  /// Ends the agent's session, so that another agent need not wait.
  func close() async throws {
    let values = [ledger, session]
    try await connection.run { database in
      _ = try database.query("UPDATE waybill.host SET session = NULL WHERE ledger = $1 AND session = $2", values)
    }
  }

  /// The result of an answer to `GET /v1/changes`: the position after it, if there are more changes already, and the position of changes
  /// up to which all jobs have to be read, or nil if they need not be read.
  typealias Taken = (position: MirrorPosition, isMore: Bool, whole: String?)

  /// Applies an answer to `GET /v1/changes`, all of it or nothing.
  ///
  /// - Throws: ``MirrorMoved`` if the position is not the present one; ``Mirror/OtherLedger``; `PostgreSQLError`.
  func take(_ answer: [UInt8], at position: MirrorPosition) async throws -> Taken {
    let row = try await call(
      "SELECT to_generation, to_applied, to_seen, more, whole FROM waybill.take($1, $2, $3, $4, $5, $6)",
      [String(position.generation), String(position.applied), position.seen, String(decoding: answer, as: UTF8.self)])
    return (
      MirrorPosition(generation: row?.number(0) ?? 0, applied: row?.number(1) ?? 0, seen: row?[2]),
      row?.flag(3) ?? false, row?[4]
    )
  }

  /// Applies a page of all jobs.
  ///
  /// - Parameters:
  ///   - last: the number of the last job of the page before; 0 for the first page.
  ///   - whole: the position of changes after the last page.
  /// - Returns: the cursor of the next page, nil after the last one; and the number of the page's last job.
  /// - Throws: ``MirrorMoved`` if the position is not the present one; `PostgreSQLError`.
  func take(
    page: [UInt8], after last: Int64, upTo whole: String, at position: MirrorPosition
  ) async throws -> (cursor: String?, last: Int64) {
    let row = try await call(
      "SELECT next, last_job FROM waybill.take_page($1, $2, $3, $4, $5, $6, $7)",
      [
        String(position.generation), String(position.applied), String(last), whole,
        String(decoding: page, as: UTF8.self),
      ])
    return (row?[0], row?.number(1) ?? last)
  }

  private func call(_ sql: String, _ values: [String?]) async throws -> PostgreSQLRow? {
    let values = [ledger, session] + values
    do {
      return try await connection.run { database in
        let row = try database.transaction {
          let row = try database.query(sql, values).first
          Failpoint.agentBatchCommitting.pass()
          return row
        }
        Failpoint.agentBatchCommitted.pass()
        return row
      }
    } catch let error as PostgreSQLError where error.sqlState == FleetSchema.moved {
      throw MirrorMoved()
    } catch let error as PostgreSQLError where error.sqlState == FleetSchema.otherLedger {
      throw Mirror.OtherLedger()
    }
  }

  /// Writes a heartbeat with the daemon's state, if it is known.
  ///
  /// - Parameters:
  ///   - status: the answer to `GET /v1/status`; nil if there is none.
  ///   - trouble: the reason why the state is not known, or why the copy of the ledger does not go on.
  /// - Throws: ``MirrorMoved`` if another agent has taken over; ``FleetSchema/Unfit`` if the tables have become another version's;
  ///   `PostgreSQLError`.
  func beat(_ status: [UInt8]?, trouble: String?) async throws {
    let values: [String?] = [
      ledger, session, status.map { String(decoding: $0, as: UTF8.self) }, trouble?.storable,
    ]
    try await connection.run { database in
      try FleetSchema.require(database)
      let row = try database.query(
        """
        UPDATE waybill.host SET seen_at = now(), status = coalesce(waybill.json($3), status), trouble = $4,
          version = coalesce(left(waybill.json($3) ->> 'version', 100), version)
        WHERE ledger = $1 AND session = $2
        """, values)
      guard row.changed == 1 else { throw MirrorMoved() }
    }
  }
}

extension String {
  /// Returns the same text without NUL, which PostgreSQL cannot store.
  var storable: String {
    hasOnlyBytes { $0 != 0 } ? self : String(unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : Character($0) })
  }
}
