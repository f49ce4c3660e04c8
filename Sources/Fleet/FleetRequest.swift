import ControlAPI
import Jobs
public import PostgreSQL

/// A command for many jobs on many hosts, as a person asks for it, and what has become of it.
public struct FleetRequest: Hashable, Sendable {
  /// The name of all commands of one request.
  public let batch: String
  /// The number of commands that were asked for.
  public let count: Int
  /// The name by which people know it: the first digits of ``batch``.
  public var shown: String { String(batch.prefix(8)) }

  /// The states of the jobs that a command is for.
  private static func states(_ action: String) -> [String] {
    let name = Command.Name(rawValue: action)
    return (name?.statesOfAll ?? []).map(\.rawValue).sorted()
  }

  /// The jobs that a command takes of those that a filter finds: without states, those in the states that it is for.
  private static func meant(_ action: String, _ filter: FleetFilter) -> (sql: String, values: [String?]) {
    var filter = filter
    if filter.jobs.isEmpty, filter.states.isEmpty { filter.states = states(action) }
    return filter.condition
  }

  /// Returns the number of jobs that a command would be about.
  public static func count(_ session: PostgreSQLSession, _ action: String, of filter: FleetFilter) throws -> Int {
    let (condition, values) = meant(action, filter)
    return Int(
      try session.query(
        """
        SELECT count(*) FROM waybill.job AS job JOIN waybill.host AS host USING (ledger) WHERE \(condition)
        """, values
      ).first?.number(0) ?? 0)
  }

  /// Asks for a command: one row for each job, with the revision that the database shows.
  ///
  /// A filter that names neither jobs nor states means the states that the command is for.
  public static func ask(
    _ session: PostgreSQLSession, _ action: String, _ arguments: FleetCommand.Arguments = .init(),
    of filter: FleetFilter, by person: String, expiresIn seconds: Int64
  ) throws -> FleetRequest {
    try ask(session, action, arguments, of: meant(action, filter), by: person, expiresIn: seconds)
  }

  /// Answers all questions of a group.
  public static func answer(
    _ session: PostgreSQLSession, _ group: FleetGroup, _ action: String, by person: String, expiresIn seconds: Int64
  ) throws -> FleetRequest {
    let condition = """
      job.state = 'awaiting-confirmation' AND coalesce(job.destination, '') = $1 AND job.step = $2
        AND coalesce(job.error_message, job.error_kind, '') = $3
      """
    return try ask(
      session, action, .init(), of: (condition, [group.destination, group.step, group.reason]), by: person,
      expiresIn: seconds)
  }

  private static func ask(
    _ session: PostgreSQLSession, _ action: String, _ arguments: FleetCommand.Arguments,
    of meant: (sql: String, values: [String?]), by person: String, expiresIn seconds: Int64
  ) throws -> FleetRequest {
    let (condition, values) = meant
    let batch = newBatch()
    let count = values.count
    let inserted = try session.query(
      """
      INSERT INTO waybill.command (batch, ledger, owner, job, revision, action, arguments, by_user, expires_at)
      SELECT $\(count + 1)::uuid, job.ledger, host.owner, job.number, job.revision, $\(count + 2), $\(count + 3)::jsonb,
        $\(count + 4), now() + make_interval(secs => $\(count + 5)::bigint)
      FROM waybill.job AS job JOIN waybill.host AS host USING (ledger) WHERE \(condition)
      """, values + [batch, action, try json(arguments), person.storable, String(seconds)])
    return FleetRequest(batch: batch, count: inserted.changed)
  }

  /// Asks hosts to pause or resume something.
  public static func pause(
    _ session: PostgreSQLSession, _ action: String, target: String, host: String?, by person: String,
    expiresIn seconds: Int64
  ) throws -> FleetRequest {
    let batch = newBatch()
    let inserted = try session.query(
      """
      INSERT INTO waybill.command (batch, ledger, owner, action, arguments, by_user, expires_at)
      SELECT $1::uuid, host.ledger, host.owner, $2, $3::jsonb, $4, now() + make_interval(secs => $5::bigint)
      FROM waybill.host AS host WHERE $6::text IS NULL OR host.name = $6 OR host.ledger::text = $6
      """,
      [
        batch, action, try json(FleetCommand.Arguments(target: target)), person.storable, String(seconds),
        host?.storable,
      ])
    return FleetRequest(batch: batch, count: inserted.changed)
  }

  private static func json(_ arguments: FleetCommand.Arguments) throws -> String {
    String(decoding: try ControlJSON.encode(arguments), as: UTF8.self)
  }

  private static func newBatch() -> String {
    let digits = (0..<32).map { _ in "0123456789abcdef".randomElement() ?? "0" }
    return String(digits)
  }

  /// The state of a request.
  public struct Progress: Hashable, Sendable, Encodable {
    /// The number of commands with each outcome.
    public var outcomes: [String: Int] = [:]
    /// The number without one yet.
    public var open = 0
    /// The hosts that were not heard of lately, of commands without an outcome: name, time.
    public var silent: [String: String] = [:]
    /// The end of the time in which an open command is still carried out.
    public var until: String?
    /// The first commands that were not done, in words.
    public var refusals: [String] = []

    /// The whole in one sentence.
    public var words: String {
      let total = outcomes.values.reduce(open, +)
      var parts = ["\(outcomes["done"] ?? 0) of \(total) done"]
      for (outcome, words) in [
        ("changed", "changed meanwhile"), ("refused", "refused"), ("expired", "expired"), ("unknown", "unknown"),
      ] {
        if let count = outcomes[outcome] { parts.append("\(count) \(words)") }
      }
      if !silent.isEmpty {
        let hosts = silent.sorted { $0.key < $1.key }.map { "\($0.key) not heard of since \($0.value)" }
        parts.append(
          hosts.joined(separator: ", ") + ": carried out when it is back" + (until.map { ", until \($0)" } ?? ""))
      } else if open > 0 {
        parts.append("\(open) not yet carried out")
      }
      return parts.joined(separator: ", ")
    }
  }

  /// Reads what has become of it.
  public func progress(_ session: PostgreSQLSession) throws -> Progress {
    var progress = Progress()
    for row in try session.query(
      "SELECT outcome, count(*) FROM waybill.command WHERE batch = $1::uuid GROUP BY outcome", [batch]
    ).rows {
      let count = Int(row.number(1) ?? 0)
      if let outcome = row[0] { progress.outcomes[outcome] = count } else { progress.open = count }
    }
    if progress.open > 0 {
      for row in try session.query(
        """
        SELECT host.name, to_char(host.seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
          to_char(max(command.expires_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), host.seen_at < now() - 3 * host.heartbeat
        FROM waybill.command AS command JOIN waybill.host AS host USING (ledger)
        WHERE batch = $1::uuid AND outcome IS NULL GROUP BY host.ledger
        """, [batch]
      ).rows {
        progress.until = row[2]
        if row.flag(3) { progress.silent[row.text(0)] = row.text(1) }
      }
    }
    progress.refusals = try session.query(
      """
      SELECT host.name || coalesce('/' || command.job::text, '') || ': ' || command.outcome || ': ' || coalesce(command.words, '')
      FROM waybill.command AS command JOIN waybill.host AS host USING (ledger)
      WHERE batch = $1::uuid AND outcome <> 'done' ORDER BY command.id LIMIT 20
      """, [batch]
    ).rows.map { $0.text(0) }
    return progress
  }
}
