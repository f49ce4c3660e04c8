import ControlAPI
import Jobs
import Messages
import PostgreSQL

/// Counts the jobs of all hosts by state, step and reason.
enum FleetGroups {
  private static let columns = ["state", "step", "error_kind", "error_status"]

  /// The code and the arguments of a job's reason, with `…` for its name and for words with digits in them.
  private static let pattern = """
    CASE WHEN job.reason IS NULL THEN '' ELSE regexp_replace(replace(left(job.reason::text, 2000),
      coalesce(nullif(btrim(to_json(job.name)::text, '"'), ''), '…'), '…'), '[^ "]*[0-9][^ "]*', '…', 'g') END
    """

  /// The number of a job's group.
  static let number = hash(of: "job", pattern)

  /// The number of a group: a hash of what its jobs share, so that it stays the same for as long as there is one.
  private static func hash(of table: String, _ pattern: String) -> String {
    let shared = columns.map { "coalesce(\(table).\($0), '-')" }.joined(separator: ", ")
    // No job has a number as large as that of each group.
    return "(('x' || left(md5(concat_ws(chr(31), \(shared), \(pattern))), 12))::bit(48)::bigint | \(leastNumber))"
  }

  /// The least number of a group.
  static let leastNumber: Int64 = 1 << 48

  /// A hash of a job as it is shown.
  private static let seen = "hashtextextended(job.ledger || '/' || job.number || '/' || job.revision, 0)"

  /// The most groups of one role that come before those of others, so that no host fills the list.
  private static let mostOfRole = 100

  /// True for a time that can be compared as a text.
  private static let isTime = #"job.updated_at ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$'"#

  /// Returns the groups, the largest first.
  ///
  /// - Parameter changedUntil: leaves out jobs that changed later, in microseconds.
  static func list(
    _ session: PostgreSQLSession, _ filter: JobFilter, changedUntil: Int64? = nil
  ) throws -> [FleetGroup] {
    var condition = FleetCondition(filter)
    if let changedUntil { condition.addSeen(until: changedUntil) }
    let shared = columns.map { "job.\($0)" }.joined(separator: ", ")
    let words = "coalesce(job.doc #>> '{error,message,text}', job.doc #>> '{error,message}')"
    return try session.query(
      """
      SELECT \(columns.map { "found.\($0)" }.joined(separator: ", ")), found.pattern,
        \(hash(of: "found", "found.pattern")) AS number, found.jobs, found.hash, found.newest, \(FleetView.name("host.name")),
        job.number, \(FleetView.text(words)), \(FleetView.name("job.name")),
        CASE WHEN octet_length(job.doc #>> '{error,message}') <= 10000 THEN job.doc #> '{error,message}' END
      FROM (
        SELECT \(shared), \(pattern) AS pattern, count(*) AS jobs,
          bit_xor(\(seen)) & 1152921504606846975 AS hash, max(job.updated_at) FILTER (
            WHERE \(isTime) AND job.updated_at COLLATE "C" <= \(FleetView.time("now()"))) AS newest,
          min(job.id || '/' || job.ledger || '/' || job.number) AS first, row_number() OVER (
            PARTITION BY CASE WHEN min(host.owner::text) = max(host.owner::text) THEN min(host.owner::text) ELSE '' END
            ORDER BY count(*) DESC) > \(mostOfRole) AS isFurther
        FROM waybill.job AS job JOIN waybill.host AS host USING (ledger) WHERE job.id IS NOT NULL AND \(condition.sql)
        GROUP BY \(shared), pattern ORDER BY isFurther, jobs DESC, first LIMIT 1000
      ) AS found
      JOIN waybill.job AS job ON job.ledger = split_part(found.first, '/', -2)::uuid
        AND job.number = split_part(found.first, '/', -1)::bigint
      JOIN waybill.host AS host ON host.ledger = job.ledger ORDER BY found.jobs DESC, found.first
      """, condition.values
    ).rows.compactMap { FleetGroup($0, filter) }
  }
}

extension FleetCondition {
  /// Leaves out jobs that changed after a time, in microseconds.
  mutating func addSeen(until time: Int64) {
    add(Timestamp(microseconds: time).rfc3339Milliseconds) { "job.updated_at COLLATE \"C\" <= \($0)" }
  }
}

/// Jobs of all hosts in one state and step, for one reason.
struct FleetGroup {
  let digest: FleetDigest
  private let number: Int64
  private let state: JobState
  private let step: Step
  private let kind: String?
  private let status: Int64?
  private let reason: Message
  private let host: String
  private let first: Int64

  /// Reads a row of ``FleetGroups/list(_:_:changedUntil:)``; nil for a state or a step that is none.
  init?(_ row: PostgreSQLRow, _ filter: JobFilter) {
    guard let state = JobState(rawValue: row.text(0)), let step = Step(rawValue: row.text(1)) else { return nil }
    (self.state, self.step, kind, status) = (state, step, row[2], row.number(3))
    number = row.number(5) ?? 0
    (host, first) = (row.text(9), row.number(10) ?? 0)
    var rest = filter
    (rest.states, rest.step, rest.like) = ([], nil, nil)
    let jobs = row.number(6) ?? 0
    digest = FleetDigest(
      key: GroupDigest.hash([row[0], row[1], row[2], row[3], row[4], ListQuery(filter: rest).text]), jobs: jobs,
      sum: UInt64(bitPattern: row.number(7) ?? 0),
      newest: row[8].flatMap { Timestamp(rfc3339: $0) }?.microseconds ?? 0)
    let words = row[11] ?? ""
    let shown =
      jobs == 1 ? ReasonText(words).sentence : ReasonText(words, names: [row.text(12)]).pattern
    // Ignored: a message that cannot be read is its words alone.
    let message = row[13].flatMap { try? Message(json: JSONReader.value(Array($0.utf8))) } ?? .text(words)
    let pattern = message.mapTexts { ReasonText($0).pattern }
    reason = [message, pattern].first { $0.text == shown } ?? .text(shown)
  }

  /// Writes the group.
  func write(into text: inout JSONText) {
    text.object { text in
      text.member("host", host)
      text.member("group", number)
      text.member("count", digest.jobs)
      text.member("state", state.rawValue)
      text.member("step", step.rawValue)
      text.member("kind", kind)
      text.member("status", status)
      text.member("reason", reason)
      text.member("first_job", first)
      text.member("digest", digest.text)
    }
  }

  /// The group as a message, for the refusal of an answer to another one.
  var message: ReasonGroup? {
    var text = JSONText(texts: .coded)
    write(into: &text)
    return FleetView.message(ReasonGroup.self, String(decoding: text.bytes, as: UTF8.self))
  }
}

/// The record of a group as it was shown. It is the text of a `GroupDigest`; the clock in that is not used.
struct FleetDigest {
  /// A hash of what the jobs share, and of the rest of the filter.
  private let key: String
  let jobs: Int64
  /// A hash of the jobs' ledgers, numbers and revisions.
  private let sum: UInt64
  /// The time at which one of the jobs changed last, in microseconds.
  let newest: Int64

  init(key: String, jobs: Int64, sum: UInt64, newest: Int64) {
    (self.key, self.jobs, self.sum, self.newest) = (key, jobs, sum, newest)
  }

  /// Reads what an answer carries; nil for the digest of a daemon's group that cannot be read.
  init?(_ shown: GroupDigest) {
    let parts = shown.description.split(separator: ".").map(String.init)
    guard parts.count == 5, let jobs = Int64(parts[1]), let sum = UInt64(parts[2], radix: 16),
      let newest = Int64(parts[3])
    else { return nil }
    self.init(key: parts[0], jobs: jobs, sum: sum, newest: newest)
  }

  /// The text that an answer carries.
  var text: String { "\(key).\(jobs).\(String(sum, radix: 16)).\(newest).0" }

  /// Returns true if the jobs of a group now are those that were shown, or some of them.
  func isAnswerable(now: FleetDigest) -> Bool {
    guard now.key == key, now.jobs > 0 else { return false }
    return now.jobs == jobs ? now.sum == sum : now.jobs < jobs
  }
}
