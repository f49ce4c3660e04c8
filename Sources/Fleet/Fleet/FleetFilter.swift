import ControlAPI
import Jobs
import PostgreSQL

/// A selection of jobs of all hosts.
public struct FleetFilter: Hashable, Sendable {
  /// The host's name or its ledger; nil for all.
  public var host: String?
  package var states: [String] = []
  package var spool: String?
  package var destination: String?
  /// The file's name with `*` for any text and `?` for one character, or a part of it. Case does not matter.
  public var name: String?
  /// A kind of failure or its code, or a part of its words. Case does not matter, and `…` stands for any text.
  public var error: String?
  /// Jobs one by one: `HOST/NUMBER` or an id.
  public var jobs: [String] = []
  /// The group that the jobs are of.
  public var group: FleetGroup.Key?
  /// The digest of the group: jobs that were not shown are left out.
  public var digest: FleetDigest?
  /// Jobs of another filter than a group, as they were shown to a person: others are left out.
  public var shown: FleetShown?

  /// Creates a filter for all jobs.
  public init() {}

  /// True if it leaves out no job.
  public var isEmpty: Bool { self == FleetFilter() }

  /// The states of jobs that are done. Jobs in all other states are in the index on open jobs.
  private static let done: Set<String> = [
    JobState.registered.rawValue, JobState.skipped.rawValue, JobState.discarded.rawValue,
  ]

  /// True if few jobs are selected, so that an index finds them at once on all hosts.
  var isNarrow: Bool {
    !jobs.isEmpty || group != nil || (!states.isEmpty && Self.done.isDisjoint(with: states))
  }

  /// The conditions, whose values are numbered from `$1`.
  var condition: FleetCondition {
    var condition = FleetCondition()
    if let host { condition.addHost(host) { HostName.condition($0, "host") } }
    if !states.isEmpty {
      // names of states as they stand, so that the planner sees that the index on open jobs has them all
      let known = states.filter { JobState(rawValue: $0) != nil }
      condition.job.append(
        known.isEmpty ? "false" : "job.state IN (\(known.map { "'\($0)'" }.joined(separator: ", ")))")
    }
    if let spool { condition.addJob(spool) { "job.spool = \($0)" } }
    if let destination { condition.addJob(destination) { "job.destination = \($0)" } }
    if let name { condition.addJob(TextMatch.name(name)) { "job.name ~* \($0)" } }
    if let error {
      let kind = condition.mark(error.storable)
      condition.addJob(TextMatch.words(error)) {
        "(job.error_kind = lower(\(kind)) OR lower(job.error_code) = lower(\(kind)) OR job.error_message ~* \($0))"
      }
    }
    if !jobs.isEmpty { condition.addJob(JobNames(jobs).json) { JobNames.condition($0) } }
    group?.add(to: &condition)
    (digest?.shown ?? shown)?.add(to: &condition)
    return condition
  }
}

/// Conditions of a statement, with their values.
struct FleetCondition {
  /// Conditions on `job`.
  var job: [String] = []
  /// Conditions on `host`.
  var host: [String] = []
  var values: [String?] = []

  /// The conditions on jobs.
  var jobs: String { job.isEmpty ? "true" : job.joined(separator: " AND ") }
  /// The conditions on hosts.
  var hosts: String { host.isEmpty ? "true" : host.joined(separator: " AND ") }

  /// Adds a condition on jobs with a value, whose mark the closure gets.
  mutating func addJob(_ value: String, _ sql: (String) -> String) {
    let place = mark(value.storable)
    job.append(sql(place))
  }

  /// The same on hosts.
  mutating func addHost(_ value: String, _ sql: (String) -> String) {
    let place = mark(value.storable)
    host.append(sql(place))
  }

  /// Adds a value, and returns its mark.
  mutating func mark(_ value: String?) -> String {
    values.append(value)
    return "$\(values.count)"
  }
}

/// Names of jobs: `HOST/NUMBER`, `LEDGER/NUMBER`, or ids.
struct JobNames {
  private struct Name: Encodable {
    var host: String?
    var number: Int64?
    var id: String?
  }

  private let names: [Name]

  init(_ texts: [String]) {
    names = texts.compactMap { text in
      if let slash = text.lastIndex(of: "/"), let number = Int64(text[text.index(after: slash)...]) {
        return Name(host: String(text[..<slash]).storable, number: number)
      }
      return JobID(text) != nil ? Name(id: text) : nil
    }
  }

  var json: String { (try? ControlJSON.encode(names)).map { String(decoding: $0, as: UTF8.self) } ?? "[]" }

  /// Returns the first name that stands for jobs of several hosts: hosts may have the same name, and a host may write the id of
  /// another host's job.
  static func ambiguous(_ session: PostgreSQLSession, _ texts: [String]) throws -> String? {
    try session.query(
      """
      SELECT text FROM (
        SELECT wanted.host || '/' || wanted.number AS text, named.ledger FROM json_to_recordset($1::json) AS wanted (host text, number bigint)
          JOIN waybill.host AS named ON \(HostName.condition("wanted.host", "named"))
          JOIN waybill.job AS job ON job.ledger = named.ledger AND job.number = wanted.number
        UNION SELECT wanted.id::text, job.ledger FROM json_to_recordset($1::json) AS wanted (id uuid)
          JOIN waybill.job AS job ON job.id = wanted.id
      ) AS found GROUP BY text HAVING count(*) > 1 LIMIT 1
      """, [JobNames(texts).json]
    ).first?.text(0)
  }

  /// The condition that a job is one of those in a JSON value. The names are looked up first, so that each job is found by the
  /// table's key.
  static func condition(_ mark: String) -> String {
    """
    (job.ledger, job.number) IN (
      SELECT named.ledger, wanted.number FROM json_to_recordset(\(mark)::json) AS wanted (host text, number bigint)
        JOIN waybill.host AS named ON \(HostName.condition("wanted.host", "named"))
      UNION ALL
      SELECT named.ledger, named.number FROM json_to_recordset(\(mark)::json) AS wanted (id uuid)
        JOIN waybill.job AS named ON named.id = wanted.id)
    """
  }
}

/// Regular expressions of PostgreSQL (its manual, section 9.7.3) for what people type. Case is left to the operator.
enum TextMatch {
  /// Returns an expression for names: those that are like a text with `*` or `?`, or any that contain a text without these.
  static func name(_ text: String) -> String {
    guard text.contains(where: { "*?".contains($0) }) else { return literal(text) }
    return "^" + text.map { $0 == "*" ? ".*" : $0 == "?" ? "." : literal(String($0)) }.joined() + "$"
  }

  /// Returns an expression for texts that contain this one. In it, `…` stands for any text.
  static func words(_ text: String) -> String {
    text.split(separator: "…", omittingEmptySubsequences: false).map { literal(String($0)) }.joined(separator: ".*")
  }

  /// Escapes characters that have a meaning in expressions. Letters and digits are not escaped: after a backslash they would get
  /// one.
  private static func literal(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if scalar.isASCII, !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar), scalar.value > 0x20 {
        result += "\\"
      }
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}
