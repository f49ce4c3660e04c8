public import ControlAPI
import Jobs
package import Messages
public import PostgreSQL

/// A job of some host: in the form of the host's own daemon, with the host beside it.
public struct FleetJob: Hashable, Sendable, Codable {
  package var host: String
  package var ledger: String
  /// The time of the host's last heartbeat, by the database's clock.
  public var hostSeenAt: MessageTime
  /// True if there was no heartbeat for three intervals: the job is shown as of then.
  public var isOfSilentHost: Bool
  /// The commands that the host accepts from elsewhere.
  package var allow: [String]
  /// The job.
  public var job: JobMessage

  enum CodingKeys: String, CodingKey {
    case host, ledger, allow
    case hostSeenAt = "host_seen_at"
    case isOfSilentHost = "host_silent"
    case question = "question_message"
    case error = "error_message"
  }

  /// Reads the members of both forms.
  public init(from decoder: any Decoder) throws {
    job = try JobMessage(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    host = try container.decode(String.self, forKey: .host)
    ledger = try container.decode(String.self, forKey: .ledger)
    hostSeenAt = try container.decode(MessageTime.self, forKey: .hostSeenAt)
    isOfSilentHost = try container.decode(Bool.self, forKey: .isOfSilentHost)
    allow = try container.decodeIfPresent([String].self, forKey: .allow) ?? []
    // A row has messages as the text that its host wrote, which may be any.
    if let text = try container.decodeIfPresent(String.self, forKey: .question) {
      job.questionSaid = Message(json: text)
    }
    if let text = try container.decodeIfPresent(String.self, forKey: .error) {
      job.error?.messageSaid = Message(json: text)
    }
  }

  /// Writes the members of both forms side by side.
  public func encode(to encoder: any Encoder) throws {
    try job.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(host, forKey: .host)
    try container.encode(ledger, forKey: .ledger)
    try container.encode(hostSeenAt, forKey: .hostSeenAt)
    try container.encode(isOfSilentHost, forKey: .isOfSilentHost)
  }

  /// The name by which people call it.
  public var shown: String { "\(host)/\(job.job)" }
  /// The name that no other job has.
  package var name: String { "\(ledger)/\(job.job)" }

  /// The phase of each state.
  private static let phases = JobState.allCases.map { "WHEN '\($0.rawValue)' THEN '\($0.phase.rawValue)'" }
    .joined(separator: " ")

  /// The columns as the JSON of one job.
  static let json = """
    json_build_object('host', \(FleetView.name("host.name")), 'ledger', job.ledger, 'host_seen_at', \(FleetView.time("host.seen_at")),
      'host_silent', \(FleetView.silent), 'allow', to_json(string_to_array(\(FleetView.name("host.allow")), ',')), 'job', job.number,
      'id', job.id, 'revision', job.revision, 'spool', \(FleetView.text("job.spool")),
      'name', coalesce(\(FleetView.text("job.name")), ''),
      'path', \(FleetView.text("job.path")), 'size', job.size, 'step', \(FleetView.text("job.step")), 'state', \(FleetView.text("job.state")),
      'phase', CASE job.state \(phases) END,
      'destination', \(FleetView.text("job.destination")), 'attempt', job.attempt,
      'question', \(FleetView.text("job.question")), 'question_message', \(FleetView.text("job.question_said")),
      'error_message', \(FleetView.text("job.error_said")),
      'error', CASE WHEN job.error_kind IS NOT NULL THEN json_build_object('kind', \(FleetView.text("job.error_kind")),
        'status', job.error_status, 'code', \(FleetView.text("job.error_code")),
        'message', \(FleetView.text("coalesce(job.error_message, job.error_kind)"))) END,
      'next_attempt_at', \(FleetView.time("job.next_attempt_at")), 'link', \(FleetView.text("job.link")),
      'released', CASE WHEN job.released_by IS NOT NULL THEN json_build_object('to', coalesce(\(FleetView.text("job.released_to")), ''),
        'by', json_build_object('user', \(FleetView.text("job.released_by")))) END,
      'created_at', \(FleetView.time("job.created_at")), 'updated_at', \(FleetView.time("job.updated_at")),
      'finished_at', \(FleetView.time("job.finished_at")))
    """
}

/// Some of the jobs that a filter finds.
public struct FleetJobs: Sendable {
  /// The jobs, by host and number.
  public var jobs: [FleetJob] = []
  /// The number of jobs that are left out, because this version cannot read them: a newer one wrote them, or the host wrote
  /// something that no daemon sends.
  public var unreadable = 0
  /// The names of the hosts that have such jobs.
  public var hostsOfUnreadable: [String] = []
  /// The position from which to continue; nil if there are no more jobs.
  public var next: Cursor?

  /// A position in the order of jobs.
  public struct Cursor: Hashable, Sendable {
    package var host: String
    package var ledger: String
    package var number: Int64

    /// Creates the position after a job.
    package init(host: String, ledger: String, number: Int64) {
      (self.host, self.ledger, self.number) = (host, ledger, number)
    }
  }
}

extension FleetView {
  /// Returns jobs by host and number, at most `limit`.
  public static func jobs(
    _ session: PostgreSQLSession, _ filter: FleetFilter, after place: FleetJobs.Cursor? = nil, limit: Int
  ) throws -> FleetJobs {
    var condition = filter.condition
    if let place {
      let (host, ledger, number) = (
        condition.mark(place.host.storable), condition.mark(place.ledger), condition.mark(String(place.number))
      )
      condition.host.append("(host.name, host.ledger) >= (\(host), \(ledger)::uuid)")
      condition.job.append("((host.name, host.ledger) <> (\(host), \(ledger)::uuid) OR job.number > \(number)::bigint)")
    }
    // One job more than asked for shows if there are more.
    let most = condition.mark(String(limit + 1))
    let order = "ORDER BY host.name, host.ledger, job.number LIMIT \(most)"
    let tables =
      filter.isNarrow
      ? """
      FROM waybill.job AS job JOIN waybill.host AS host USING (ledger)
      WHERE \(condition.hosts) AND \(condition.jobs) \(order)
      """
      // Host by host, so that the first jobs are found without reading those of all hosts.
      : """
      FROM (SELECT * FROM waybill.host AS host WHERE \(condition.hosts) ORDER BY host.name, host.ledger) AS host
        CROSS JOIN LATERAL (SELECT * FROM waybill.job AS job WHERE job.ledger = host.ledger AND \(condition.jobs)
          ORDER BY job.number LIMIT \(most)) AS job \(order)
      """
    let rows = try session.query(
      "SELECT \(name("host.name")), host.ledger, job.number, \(FleetJob.json) \(tables)", condition.values
    ).rows
    var found = FleetJobs()
    for row in rows.prefix(limit) {
      do {
        found.jobs.append(try ControlJSON.decode(FleetJob.self, from: row.text(3).utf8))
      } catch {
        // Ignored: it is counted, and its host is named. The others are shown.
        found.unreadable += 1
        if !found.hostsOfUnreadable.contains(row.text(0)) { found.hostsOfUnreadable.append(row.text(0)) }
      }
    }
    if rows.count > limit, let last = rows.dropLast().last {
      found.next = FleetJobs.Cursor(host: last.text(0), ledger: last.text(1), number: last.number(2) ?? 0)
    }
    if found.jobs.contains(where: { $0.job.state == .queued }) { try addHolds(session, &found) }
    return found
  }

  /// Adds to queued jobs what holds them.
  private static func addHolds(_ session: PostgreSQLSession, _ found: inout FleetJobs) throws {
    let holds = Dictionary(grouping: try holds(session), by: \.ledger)
    for index in found.jobs.indices where found.jobs[index].job.state == .queued {
      let job = found.jobs[index].job
      let destination = job.destination.flatMap { Destination($0) }
      let targets =
        [.recovered, .all, .spool(job.spool)]
        + [destination.map(Pause.Target.destination)].compactMap(\.self)
      found.jobs[index].job.heldBy =
        holds[found.jobs[index].ledger]?.filter { $0.hold.target.map(targets.contains) ?? false }
        .min { !$0.isGate && $1.isGate }?.hold
    }
  }

  /// The events of one job, the oldest first.
  public static func history(_ session: PostgreSQLSession, of job: FleetJob) throws -> [FleetEvent] {
    try session.query(
      """
      SELECT \(time("at")), \(text("event")), coalesce(\(text("message")), ''), \(text("by_user")), \(text("reason")),
        \(text("message_said")), \(text("reason_said"))
      FROM waybill.event WHERE ledger = $1 AND job = $2 ORDER BY generation, sequence LIMIT 1000
      """, [job.ledger, String(job.job.job)]
    ).rows.map { row in
      FleetEvent(
        at: row.text(0), event: row.text(1), message: row.text(2), by: row[3], reason: row[4],
        messageSaid: row[5].flatMap(Message.init(json:)), reasonSaid: row[6].flatMap(Message.init(json:)))
    }
  }
}

/// An event of a job.
public struct FleetEvent: Hashable, Sendable {
  /// The time, in RFC 3339.
  package var at: String
  package var event: String
  package var message: String
  package var by: String?
  package var reason: String?
  package var messageSaid: Message?
  package var reasonSaid: Message?
}
