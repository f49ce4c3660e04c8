import ControlAPI
import Jobs
import Messages
import PostgreSQL

enum FleetGroups {
  private static let columns = ["state", "step", "error_kind", "error_status", "alike"]

  private static let seen = "uuid_hash_extended(job.ledger, hashint8extended(job.number, job.revision))"

  /// The most groups of one role that come before those of others, so that no host fills the list.
  private static let mostOfRole = 100

  static func list(
    _ session: PostgreSQLSession, _ filter: JobFilter, changedUntil time: Timestamp? = nil
  ) throws -> [ReasonGroup] {
    var condition = FleetCondition(filter)
    if let time { condition.addSeen(until: time) }
    let shared = columns.map { "job.\($0)" }.joined(separator: ", ")
    return try session.query(
      """
      SELECT \(columns.map { "found.\($0)" }.joined(separator: ", ")), found.jobs, found.hash, found.newest,
        \(FleetView.name("host.name")), job.number, \(FleetView.text(FleetCondition.words)), \(FleetView.name("job.name")),
        CASE WHEN octet_length(job.doc #>> '{error,message}') <= 10000 THEN job.doc #> '{error,message}' END
      FROM (
        SELECT \(shared), count(*) AS jobs, bit_xor(\(seen)) & 1152921504606846975 AS hash,
          max(job.updated_at COLLATE "C") FILTER (WHERE job.updated_at COLLATE "C" <= (SELECT \(FleetView.time("now()")))) AS newest,
          min(job.id || '/' || job.ledger || '/' || job.number) AS first, row_number() OVER (
            PARTITION BY CASE WHEN min(host.owner::text) = max(host.owner::text) THEN min(host.owner::text) ELSE '' END
            ORDER BY count(*) DESC) > \(mostOfRole) AS isFurther
        FROM waybill.job AS job JOIN waybill.host AS host USING (ledger) WHERE job.id IS NOT NULL AND \(condition.sql)
        GROUP BY \(shared) ORDER BY isFurther, jobs DESC, first LIMIT 1000
      ) AS found
      JOIN waybill.job AS job ON job.ledger = split_part(found.first, '/', -2)::uuid
        AND job.number = split_part(found.first, '/', -1)::bigint
      JOIN waybill.host AS host ON host.ledger = job.ledger ORDER BY found.jobs DESC, found.first
      """, condition.values
    ).rows.compactMap { ReasonGroup($0, filter) }
  }
}

extension FleetCondition {
  /// Leaves out jobs that changed after a time.
  mutating func addSeen(until time: Timestamp) {
    add(time.rfc3339Milliseconds) { "job.updated_at COLLATE \"C\" <= \($0)" }
  }
}

extension ReasonGroup {
  fileprivate init?(_ row: PostgreSQLRow, _ filter: JobFilter) {
    guard let state = JobState(rawValue: row.text(0)), let step = Step(rawValue: row.text(1)) else { return nil }
    var rest = filter
    (rest.states, rest.step, rest.like) = ([], nil, nil)
    let count = Int(row.number(5) ?? 0)
    let digest = GroupDigest(
      key: GroupDigest.hash([row[0], row[1], row[4], ListQuery(filter: rest).text]), count: count,
      sum: UInt64(bitPattern: row.number(6) ?? 0),
      newest: row[7].flatMap { Timestamp(rfc3339: $0) } ?? Timestamp(microseconds: 0))
    let words = row[10] ?? ""
    let shown = count == 1 ? ReasonText(words).sentence : ReasonText(words, names: [row.text(11)]).pattern
    // Ignored: a message that cannot be read is its words alone.
    let message = row[12].flatMap { try? Message(json: JSONReader.value(Array($0.utf8))) } ?? .text(words)
    let pattern = message.mapTexts { ReasonText($0).pattern }
    self.init(
      group: row.number(4), count: count, state: state, step: step, kind: row[2], status: row.number(3).map { Int($0) },
      reason: [message, pattern].first { $0.text == shown } ?? .text(shown), first: row.number(9) ?? 0,
      host: row.text(8), digest: digest)
  }
}
