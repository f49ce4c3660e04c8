import Jobs
import Messages
import PostgreSQL
import Seams

/// The copy of one ledger in the fleet's tables, which is written under the agent's own session.
///
/// Each step asks the ledger's daemon for what the copy lacks, and passes on the answer as it is. If the daemon does not know what
/// changed, the next steps read all jobs page by page. ``seen`` stays unknown until the last page, so that an agent that dies on the
/// way begins again.
struct Mirror: Sendable {
  private let connection: PostgreSQLConnection
  private let ledger: String
  private let session: String
  private let names: Bool
  /// The generation of the ledger that the rows are of; 0 if there are none.
  var generation: Int64
  var applied: Int64
  /// The position up to which all changes of jobs were applied; nil if it is not known, so that all jobs have to be read.
  var seen: String?
  /// While all jobs are read: the position of changes after the last page, the next page, and the last job of the page before.
  private var reading: (until: String, cursor: String?, last: Int64)?

  /// An error: this agent cannot write for the ledger, or not any more.
  struct Refused: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String

    static let moved = Refused(description: "another agent writes for this ledger now")
  }

  /// Becomes the agent of a ledger in the database, and continues from the position that the database has.
  /// - Parameters:
  ///   - names: false if what may name a file must not leave the host. What an earlier agent of this ledger wrote about files is
  ///     removed, and all jobs are read again without it.
  ///   - session: the agent's name, which no other has.
  /// - Throws: ``Refused`` if another agent, whose daemon answers, had a heartbeat within three intervals; `PostgreSQLError`.
  static func open(
    _ connection: PostgreSQLConnection, ledger: String, session: String, name: String, allow: [String],
    heartbeat: Duration, names: Bool = true
  ) async throws -> Mirror {
    let values: [String?] = [
      ledger, name.storable, session, "\(heartbeat.microseconds) microseconds", allow.sorted().joined(separator: ","),
      names ? "t" : "f", Message.fleetDaemonSilent.stored,
    ]
    return try await connection.run { database in
      try FleetSchema.require(database)
      let row = try database.query(
        """
        INSERT INTO waybill.host AS host (ledger, name, session, heartbeat, allow, names)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (ledger) DO UPDATE SET name = excluded.name, session = excluded.session,
          heartbeat = excluded.heartbeat, allow = excluded.allow, seen_at = now(), trouble = NULL,
          names = host.names OR excluded.names
        WHERE host.session IS NULL OR host.session = excluded.session OR host.seen_at < now() - 3 * host.heartbeat
          OR host.trouble = $7
        RETURNING generation, applied, seen, names
        """, values
      ).first
      if let row {
        let isToForget = !names && row.flag(3)
        if isToForget { try forgetNames(database, ledger) }
        return Mirror(
          connection: connection, ledger: ledger, session: session, names: names, generation: row.number(0) ?? 0,
          applied: row.number(1) ?? 0, seen: isToForget ? nil : row[2])
      }
      let other = try database.query("SELECT name FROM waybill.host WHERE ledger = $1", [ledger]).first
      throw Refused(
        description: "another agent already keeps ledger \(ledger)"
          + (other.map { " (as \"\($0.text(0))\")" } ?? "")
          + ": after a crash of the agent this passes. Was this machine's disk copied? A copy needs a ledger of its own: "
          + "empty its state directory")
    }
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
    try await connection.run { database in
      _ = try database.query(
        "UPDATE waybill.host SET session = NULL WHERE ledger = $1 AND session = $2", [ledger, session])
    }
  }

  /// Asks for changes, for which the daemon waits so many seconds, and applies them, or reads the next page of all jobs.
  /// - Returns: true if there is more already.
  /// - Throws: ``Refused``, or the errors of the daemon's answers and of the database.
  mutating func step(wait: Int, get: @Sendable (String) async throws -> [UInt8]) async throws -> Bool {
    let form = "texts=coded" + (names ? "" : "&names=false")
    guard let reading else {
      let seen = seen.map { "&seen=\(PercentEncoding.component($0))" } ?? ""
      return try await take(try await get("/v1/changes?\(form)&after=\(applied)&wait=\(wait)\(seen)"))
    }
    let cursor = reading.cursor.map { "&after=\(PercentEncoding.component($0))" } ?? ""
    // without an answer the reading begins anew: the daemon may have another ledger when it answers again
    self.reading = nil
    let page = try await get("/v1/jobs?\(form)&limit=500\(cursor)")
    self.reading = reading
    try await take(page: page)
    return true
  }

  /// Applies an answer to `GET /v1/changes`, all of it or nothing.
  /// - Returns: true if there are more changes already, or all jobs have to be read.
  /// - Throws: ``Refused`` if the position is not the present one, or the answer is about another ledger; `PostgreSQLError`.
  mutating func take(_ answer: [UInt8]) async throws -> Bool {
    let row = try await call(
      "SELECT to_generation, to_applied, to_seen, more, whole FROM waybill.take($1, $2, $3, $4, $5, $6)",
      [String(generation), String(applied), seen, String(decoding: answer, as: UTF8.self)])
    (generation, applied, seen) = (row?.number(0) ?? 0, row?.number(1) ?? 0, row?[2])
    reading = row?[4].map { ($0, nil, 0) }
    return reading != nil || row?.flag(3) == true
  }

  mutating func take(page: [UInt8]) async throws {
    guard let (until, _, last) = reading else { return }
    let row = try await call(
      "SELECT next, last_job FROM waybill.take_page($1, $2, $3, $4, $5, $6, $7)",
      [String(generation), String(applied), String(last), until, String(decoding: page, as: UTF8.self)])
    reading = row?[0].map { (until, $0, row?.number(1) ?? last) }
    if reading == nil { seen = until }
  }

  private func call(_ sql: String, _ values: [String?]) async throws -> PostgreSQLRow? {
    do {
      return try await connection.run { database in
        let row = try database.transaction {
          let row = try database.query(sql, [ledger, session] + values).first
          Failpoint.agentBatchCommitting.pass()
          return row
        }
        Failpoint.agentBatchCommitted.pass()
        return row
      }
    } catch let error as PostgreSQLError where error.sqlState == FleetSchema.refused {
      throw Refused(description: error.message)
    }
  }

  /// Writes a heartbeat with the daemon's answer to `GET /v1/status`, if there is one.
  /// - Throws: ``Refused`` if another agent has taken over; ``FleetSchema/Unfit``; `PostgreSQLError`.
  func beat(_ status: [UInt8]?, trouble: Message?) async throws {
    let values: [String?] = [ledger, session, status.map { String(decoding: $0, as: UTF8.self) }, trouble?.stored]
    try await connection.run { database in
      try FleetSchema.require(database)
      let row = try database.query(
        """
        UPDATE waybill.host SET seen_at = now(), status = coalesce(waybill.json($3), status), trouble = $4,
          version = coalesce(left(waybill.json($3) ->> 'version', 100), version)
        WHERE ledger = $1 AND session = $2
        """, values)
      guard row.changed == 1 else { throw Refused.moved }
    }
  }
}

extension String {
  /// Returns the same text without NUL, which PostgreSQL cannot store.
  var storable: String {
    hasOnlyBytes { $0 != 0 } ? self : String(unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : Character($0) })
  }
}
