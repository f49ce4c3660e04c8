import ControlAPI
import Jobs
public import PostgreSQL

/// A command for many jobs on many hosts, as a person asks for it.
///
/// It is one row of `request` and one row of `command` for each job, with the revision that the database shows.
public struct FleetRequest: Sendable, Hashable {
  /// The identifier of all commands of one request.
  public let batch: String
  /// The number of commands that were asked for.
  public let count: Int
  /// The name by which people know it: the first digits of ``batch``.
  public var shown: String { String(batch.prefix(8)) }

  /// The person who asks, and the time in which hosts that are away may still carry it out.
  public struct Asker: Sendable {
    let person: String
    let seconds: Int64

    /// Creates an asker.
    public init(_ person: String, expiresIn seconds: Int64) {
      self.person = FleetPerson.fitting(person)
      self.seconds = seconds
    }
  }

  /// Returns the jobs of a filter that a command applies to, as on the host itself (`JobSelection.filter(for:)`): named jobs in
  /// any state, else those in the states that the command fits.
  static func meant(_ action: String, _ filter: FleetFilter) -> FleetFilter {
    guard filter.jobs.isEmpty, let command = JobCommand.Name(rawValue: action) else { return filter }
    var meant = filter
    let states: Set<JobState>
    if filter.isEmpty {
      states = command.statesOfAll
    } else if let group = filter.group {
      states = Set([JobState(rawValue: group.state)].compactMap(\.self)).intersection(command.fittingStates)
    } else if filter.states.isEmpty {
      states = command.statesOfFilter
    } else {
      states = Set(filter.states.compactMap { JobState(rawValue: $0) }).intersection(command.fittingStates)
    }
    // no state at all is written as a state that no job has
    meant.states = states.isEmpty ? ["none"] : states.map(\.rawValue).sorted()
    return meant
  }

  /// Returns the jobs that a command would apply to, as they are shown to a person.
  public static func shown(
    _ session: PostgreSQLSession, _ action: String, of filter: FleetFilter
  ) throws -> FleetShown {
    let condition = meant(action, filter).condition
    let row = try session.query(
      """
      SELECT count(*), pg_current_snapshot() FROM waybill.job AS job JOIN waybill.host AS host USING (ledger)
      WHERE \(condition.jobs) AND \(condition.hosts)
      """, condition.values
    ).first
    return FleetShown(jobs: row?.number(0) ?? 0, snapshot: row?.text(1) ?? "")
  }

  /// Asks for a command: writes one row for each job, with the revision that the database shows.
  ///
  /// A filter without jobs and states means the states that the command fits.
  ///
  /// - Parameters:
  ///   - words: the selected jobs in words, for people who look at the request later.
  ///   - revision: the revision of the job that the person saw, if it is one job; nil for what the database shows now.
  ///   - onlyAllowed: true leaves out the jobs of hosts that do not allow the command; false lets those hosts refuse it.
  ///   - most: the number of jobs that was shown, if it is less than the whole group; nil for all.
  /// - Throws: ``FleetGroupChanged`` if the jobs are not those that were shown; `PostgreSQLError`.
  public static func ask(
    _ session: PostgreSQLSession, _ action: String, _ arguments: FleetCommand.Arguments = .init(),
    of filter: FleetFilter, in words: String, by asker: Asker, revision: Int64? = nil, onlyAllowed: Bool = false,
    most: Int64? = nil
  ) throws -> FleetRequest {
    var condition = meant(action, filter).condition
    if onlyAllowed {
      for word in [action] + (arguments.remove == true ? ["remove"] : []) {
        condition.addHost(word) { "\($0) = ANY (string_to_array(host.allow, ','))" }
      }
    }
    let seen = condition.mark(revision.map(String.init))
    let source = """
      job.ledger, host.owner, job.number, coalesce(\(seen)::bigint, job.revision)
      FROM waybill.job AS job JOIN waybill.host AS host USING (ledger)
      WHERE \(condition.jobs) AND \(condition.hosts)
      """
    if let key = filter.group {
      guard let digest = filter.digest, digest.isOf(key, filter) else { throw FleetGroupChanged() }
    }
    let values = condition.values
    func insert() throws -> FleetRequest {
      try Self.insert(session, action, arguments, words, asker, selecting: source, values)
    }
    guard let shown = filter.digest?.shown ?? filter.shown else { return try insert().hinted(session) }
    return try session.transaction {
      let request = try insert()
      // A host that takes another's name, or allows more than before, may add jobs that were not counted.
      guard request.count <= min(shown.jobs, most ?? shown.jobs) else { throw FleetGroupChanged() }
      return request
    }.hinted(session)
  }

  /// Asks hosts to pause or resume a target.
  ///
  /// - Parameters:
  ///   - host: a name or a ledger; nil for all hosts.
  ///   - ledgers: those of the hosts that were shown; nil for all present hosts.
  public static func pause(
    _ session: PostgreSQLSession, _ action: String, target: String, host: String?, ledgers: [String]? = nil,
    by asker: Asker
  ) throws -> FleetRequest {
    var filter = FleetFilter()
    filter.host = host
    var condition = filter.condition
    if let ledgers {
      condition.addHost("{" + ledgers.joined(separator: ",") + "}") { "host.ledger = ANY (\($0)::uuid[])" }
    }
    return try insert(
      session, action, FleetCommand.Arguments(target: target), target + (host.map { " on \($0)" } ?? ""), asker,
      selecting:
        "host.ledger, host.owner, NULL::bigint, NULL::bigint FROM waybill.host AS host WHERE \(condition.hosts)",
      condition.values
    ).hinted(session)
  }

  private static func insert(
    _ session: PostgreSQLSession, _ action: String, _ arguments: FleetCommand.Arguments, _ words: String,
    _ asker: Asker, selecting source: String, _ values: [String?]
  ) throws -> FleetRequest {
    let batch = newBatch()
    let json = String(decoding: try ControlJSON.encode(arguments), as: UTF8.self)
    let (first, own) = (
      values.count, [batch, action, json, asker.person, String(asker.seconds), String(words.prefix(500)).storable]
    )
    func mark(_ place: Int, _ type: String) -> String { "$\(first + place)::\(type)" }
    let expiry = "now() + make_interval(secs => \(mark(5, "bigint")))"
    let made = try session.query(
      """
      WITH asked AS (
        INSERT INTO waybill.command (batch, action, arguments, by_user, expires_at, ledger, owner, job, revision)
        SELECT \(mark(1, "uuid")), \(mark(2, "text")), \(mark(3, "jsonb")), \(mark(4, "text")), \(expiry), \(source)
        RETURNING 1
      )
      INSERT INTO waybill.request (batch, action, arguments, meant, commands, by_user, expires_at)
      SELECT \(mark(1, "uuid")), \(mark(2, "text")), \(mark(3, "jsonb")), \(mark(6, "text")), count(*),
        \(mark(4, "text")), \(expiry) FROM asked HAVING count(*) > 0
      RETURNING commands
      """, values + own)
    return FleetRequest(batch: batch, count: Int(made.first?.number(0) ?? 0))
  }

  /// Notifies the agents that are asked, so that they need not wait for their next look. It is a separate transaction, which
  /// nothing waits for, and only a hint: without it the agents look a little later.
  private func hinted(_ session: PostgreSQLSession) -> FleetRequest {
    guard count > 0 else { return self }
    _ = try? session.query(
      """
      SELECT count(pg_notify('\(CommandCarrier.channel)' || replace(ledger::text, '-', ''), ''))
      FROM (SELECT DISTINCT ledger FROM waybill.command WHERE batch = $1::uuid) AS asked
      """, [batch])
    return self
  }

  private static func newBatch() -> String {
    let digits = (0..<32).map { _ in "0123456789abcdef".randomElement() ?? "0" }
    return String(digits)
  }
}
