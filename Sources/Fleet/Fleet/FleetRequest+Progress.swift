public import PostgreSQL

extension FleetRequest {
  /// The state of a request.
  public struct Progress: Hashable, Sendable, Encodable {
    /// The number of commands with each outcome.
    public var outcomes: [String: Int] = [:]
    /// The number without one yet.
    public var open = 0
    /// The hosts without a recent heartbeat, of commands without an outcome: name, time.
    public var silent: [String: String] = [:]
    /// The time until which an open command may still be carried out.
    public var until: String?
    /// The first commands that were not done, in words.
    public var refusals: [String] = []

    /// The name, besides those of outcomes, for commands of hosts that were forgotten since.
    package static let forgotten = "forgotten"
    /// The most silent hosts that are named.
    private static let mostNamed = 5

    /// The number of commands.
    package var total: Int { outcomes.values.reduce(open, +) }

    /// The whole in one sentence.
    public var words: String {
      var parts = ["\(outcomes["done"] ?? 0) of \(total) done"]
      for (outcome, words) in [
        ("changed", "changed meanwhile"), ("refused", "refused"), ("expired", "expired"), ("unknown", "unknown"),
        (Self.forgotten, "of hosts that were forgotten"),
      ] {
        if let count = outcomes[outcome] { parts.append("\(count) \(words)") }
      }
      if !silent.isEmpty {
        let hosts = silent.sorted { $0.key < $1.key }
        var named = hosts.prefix(Self.mostNamed).map { "\($0.key) not heard of since \($0.value)" }
        if hosts.count > Self.mostNamed { named.append("\(hosts.count - Self.mostNamed) more hosts not heard of") }
        parts.append(
          named.joined(separator: ", ") + ": carried out when \(hosts.count == 1 ? "it is" : "they are") back"
            + (until.map { ", until \($0)" } ?? ""))
      } else if open > 0 {
        parts.append("\(open) not yet carried out")
      }
      return parts.joined(separator: ", ")
    }
  }

  /// True for a command of a host that was forgotten since it was asked for: it is not carried out, even if the host comes back.
  /// The request itself is not changed; this follows from the present hosts.
  static let isForgotten = """
    (NOT EXISTS (SELECT FROM waybill.host AS home WHERE home.ledger = command.ledger AND home.owner = command.owner
      AND home.first_seen_at <= command.asked_at))
    """

  /// Reads the state of the request.
  public func progress(_ session: PostgreSQLSession) throws -> Progress {
    var progress = Progress()
    for row in try session.query(
      """
      SELECT CASE WHEN outcome IS NULL AND \(Self.isForgotten) THEN '\(Progress.forgotten)' ELSE \(FleetView.name("outcome")) END
        AS what, count(*)
      FROM waybill.command AS command WHERE batch = $1::uuid GROUP BY what
      """, [batch]
    ).rows {
      let count = Int(row.number(1) ?? 0)
      if let outcome = row[0] { progress.outcomes[outcome, default: 0] += count } else { progress.open = count }
    }
    if progress.open > 0 {
      for row in try session.query(
        """
        SELECT \(FleetView.name("host.name")), \(FleetView.second("host.seen_at")), \(FleetView.second("max(command.expires_at)")), \(FleetView.silent)
        FROM waybill.command AS command JOIN waybill.host AS host USING (ledger)
        WHERE batch = $1::uuid AND outcome IS NULL AND NOT \(Self.isForgotten) GROUP BY host.ledger
        """, [batch]
      ).rows {
        progress.until = row[2]
        if row.flag(3) { progress.silent[row.text(0)] = row.text(1) }
      }
    }
    progress.refusals = try session.query(
      """
      SELECT \(FleetView.name("host.name")) || coalesce('/' || command.job::text, '') || ': ' || command.outcome || ': '
        || coalesce(\(FleetView.text("command.words")), '')
      FROM waybill.command AS command JOIN waybill.host AS host USING (ledger)
      WHERE batch = $1::uuid AND outcome IN ('changed', 'refused', 'expired', 'unknown') ORDER BY command.id LIMIT 20
      """, [batch]
    ).rows.map { $0.text(0) }
    return progress
  }
}

/// A request, for people who look at it later.
public struct FleetAsked: Hashable, Sendable {
  /// The request.
  public var request: FleetRequest
  package var action: String
  /// The selected jobs, in words.
  package var meant: String
  /// The person who asked.
  package var by: String
  /// The role of the database that asked for the person.
  package var role: String
  /// The time at which it was asked, in RFC 3339.
  package var at: String

  private static let columns =
    "replace(batch::text, '-', ''), commands, action, meant, by_user, asked_by, \(FleetView.second("asked_at"))"

  private init(_ row: PostgreSQLRow) {
    request = FleetRequest(batch: row.text(0), count: Int(row.number(1) ?? 0))
    (action, meant, by, role, at) = (row.text(2), row.text(3), row.text(4), row.text(5), row.text(6))
  }

  /// Returns requests, the newest first.
  ///
  /// - Parameter name: the first digits of the request's name; nil for the newest ones.
  public static func last(
    _ session: PostgreSQLSession, _ limit: Int, named name: String? = nil
  ) throws -> [FleetAsked] {
    let condition = name == nil ? "$2::text IS NULL" : "starts_with(replace(batch::text, '-', ''), $2)"
    return try session.query(
      "SELECT \(columns) FROM waybill.request WHERE \(condition) ORDER BY asked_at DESC, batch LIMIT $1",
      [String(limit), name]
    ).rows.map(FleetAsked.init)
  }

  /// Returns one request; nil if there is none of this name.
  public static func named(_ session: PostgreSQLSession, _ batch: String) throws -> FleetAsked? {
    guard batch.utf8.count == 32, batch.allSatisfy({ $0.isHexDigit && $0.isASCII }) else { return nil }
    return try session.query("SELECT \(columns) FROM waybill.request WHERE batch = $1::uuid", [batch]).first.map(
      FleetAsked.init)
  }
}

/// The commands that one host has not carried out yet.
public struct FleetWaiting: Hashable, Sendable {
  package var ledger: String
  /// The number of commands.
  public var commands: Int64
  /// The number of seconds for which the oldest one has been waiting.
  public var oldestAge: Int64
}

extension FleetView {
  /// Returns the commands that wait, by host; hosts without any are left out.
  public static func waitingCommands(_ session: PostgreSQLSession) throws -> [FleetWaiting] {
    try session.query(
      """
      SELECT ledger, count(*), extract(epoch FROM now() - min(asked_at))::bigint FROM waybill.command AS command
      WHERE outcome IS NULL AND expires_at > now() AND NOT \(FleetRequest.isForgotten) GROUP BY ledger
      """
    ).rows.map {
      FleetWaiting(ledger: $0.text(0), commands: $0.number(1) ?? 0, oldestAge: max(0, $0.number(2) ?? 0))
    }
  }
}
