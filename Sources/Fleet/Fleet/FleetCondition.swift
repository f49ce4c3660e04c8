import ControlAPI
import Jobs

/// The conditions of a statement on jobs (`job`) of hosts (`host`), with their values.
struct FleetCondition {
  private var terms: [String] = []
  private(set) var values: [String?] = []

  var sql: String { terms.isEmpty ? "true" : terms.joined(separator: " AND ") }

  /// The reason of a job's failure, in English.
  static let words = "coalesce(job.doc #>> '{error,message,text}', job.doc #>> '{error,message}')"

  /// Creates the condition for some hosts, by name or by ledger; for all if there is none.
  ///
  /// A host may choose any name, even the uuid of another host's ledger. So a uuid always means a ledger.
  init(hosts: Set<String> = []) {
    let named = hosts.sorted().map { name in
      let name = mark(name)
      return
        "CASE WHEN \(name) ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' THEN host.ledger::text = lower(\(name)) "
        + "ELSE host.name = \(name) END"
    }
    if !named.isEmpty { terms.append("(\(named.joined(separator: " OR ")))") }
  }

  init(_ filter: JobFilter) {
    self.init(hosts: filter.hosts)
    let home = sql
    if !filter.states.isEmpty {
      // names of states as they stand, so that the planner sees that the index on open jobs has them all
      add("job.state IN (\(filter.states.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")))")
    }
    if let step = filter.step { add(step.rawValue) { "job.step = \($0)" } }
    if let spool = filter.spool { add(spool) { "job.spool = \($0)" } }
    if let name = filter.name { add(TextMatch.name(name)) { "job.name ~* \($0)" } }
    if let error = filter.error {
      let kind = mark(error)
      add(TextMatch.words(error)) {
        "(job.error_kind = lower(\(kind)) OR lower(job.doc #>> '{error,code}') = lower(\(kind)) OR \(Self.words) ~* \($0))"
      }
    }
    if let since = filter.since {
      add(since.rfc3339Milliseconds) { "(job.doc ->> 'created_at') COLLATE \"C\" >= \($0)" }
    }
    if let until = filter.until {
      add(until.rfc3339Milliseconds) { "(job.doc ->> 'created_at') COLLATE \"C\" < \($0)" }
    }
    if let like = filter.like {
      // the number of a group, or of a job in it that no other of the hosts has
      add(String(like.rawValue)) {
        """
        job.alike IN (\($0)::bigint, (SELECT CASE WHEN count(*) = 1 THEN min(job.alike) END
          FROM waybill.job AS job JOIN waybill.host AS host USING (ledger)
          WHERE job.number = \($0)::bigint AND job.number < \(FleetSchema.leastGroup) AND \(home)))
        """
      }
    }
  }

  mutating func add(_ term: String) { terms.append(term) }

  mutating func add(_ value: String, _ sql: (String) -> String) {
    let place = mark(value)
    terms.append(sql(place))
  }

  mutating func mark(_ value: String?) -> String {
    values.append(value?.storable)
    return "$\(values.count)"
  }
}

/// Regular expressions of PostgreSQL (its manual, section 9.7.3) for what people type. Case is left to the operator.
package enum TextMatch {
  /// Returns an expression for names that match a shell pattern; a text without wildcards matches any name that contains it.
  package static func name(_ text: String) -> String {
    guard text.contains(where: { "*?[".contains($0) }) else { return literal(text) }
    var (result, rest) = ("^", text[...])
    while let character = rest.popFirst() {
      let isOfOthers = rest.first == "!" || rest.first == "^"
      // a ] that comes first is one of the characters
      if character == "[", let end = rest.dropFirst(isOfOthers ? 2 : 1).firstIndex(of: "]") {
        let set = rest[..<end].dropFirst(isOfOthers ? 1 : 0).map { "\\[]^".contains($0) ? "\\\($0)" : String($0) }
        result += "[" + (isOfOthers ? "^" : "") + set.joined() + "]"
        rest = rest[rest.index(after: end)...]
      } else {
        result += character == "*" ? ".*" : character == "?" ? "." : literal(String(character))
      }
    }
    return result + "$"
  }

  /// Returns an expression for texts that contain this one. In it, `…` and `...` stand for any text.
  package static func words(_ text: String) -> String {
    text.replacing("...", with: "…").split(separator: "…", omittingEmptySubsequences: false)
      .map { literal(String($0)) }.joined(separator: ".*")
  }

  /// Escapes characters that have a meaning in expressions. Letters and digits are not escaped: after a backslash they would get
  /// one.
  private static func literal(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      let isMark = ("!"..."~").contains(scalar) && !scalar.properties.isAlphabetic && !("0"..."9").contains(scalar)
      return (isMark ? "\\" : "") + String(scalar)
    }.joined()
  }
}
