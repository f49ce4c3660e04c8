import ControlAPI
import Jobs
import Messages
import PostgreSQL

/// A host as the fleet's tables have it.
struct FleetHost: Sendable {
  var ledger: String
  var name: String
  var version: String
  /// The number of events that were copied.
  var applied: Int64
  /// The number of events that are missing in the copy, as far as it knows.
  var behind: Int64
  /// The commands that it accepts from elsewhere.
  var allow: [String]
  /// The time of its last heartbeat, and the number of seconds since then.
  var seenAt: String?
  var silence: Int64
  /// True if there was no heartbeat for three intervals.
  var isLate: Bool
  /// The reason why the agent cannot read the state of the host, or its changes, or why the fleet cannot show all of it.
  var trouble: String?
  /// The number of jobs in each state.
  var counts: [JobState: Int64] = [:]
  /// The daemon's own status, as members by their names.
  private var status: [String: JSONNode] = [:]

  /// The largest number that is shown, so small that the numbers of many hosts can be added.
  private static let most: Int64 = 1_000_000_000_000_000
  /// The most bytes of all states of one role's hosts.
  private static let mostStatusOfRole = 2 << 20
  /// The most elements of a list in the status.
  private static let longestList = 1000

  /// Returns all hosts by name; of a role with very many hosts only the first ones.
  static func list(_ session: PostgreSQLSession, _ hosts: Set<String> = []) throws -> [FleetHost] {
    let condition = FleetCondition(hosts: hosts)
    return try session.query(
      """
      SELECT ledger, \(FleetView.name("name")), \(FleetView.name("version")), last, applied, \(FleetView.name("allow")),
        CASE WHEN \(FleetView.isUsual("seen_at")) THEN \(FleetView.time("seen_at")) END,
        CASE WHEN \(FleetView.isUsual("seen_at")) THEN extract(epoch FROM now() - seen_at)::bigint END,
        \(FleetView.silent), \(FleetView.text("trouble")),
        CASE WHEN sum(octet_length(status::text)) OVER (PARTITION BY owner ORDER BY place) > \(mostStatusOfRole) THEN ''
          ELSE coalesce(status::text, '{}') END,
        CASE WHEN place = 1 AND ledgers > \(FleetView.mostOfRole) THEN ledgers END
      FROM (SELECT *, row_number() OVER (PARTITION BY owner ORDER BY first_seen_at, ledger) AS place,
        count(*) OVER (PARTITION BY owner) AS ledgers FROM waybill.host) AS host
      WHERE place <= \(FleetView.mostOfRole) AND \(condition.sql) ORDER BY name, ledger
      """, condition.values
    ).rows.map(FleetHost.init)
  }

  private init(_ row: PostgreSQLRow) {
    func number(_ column: Int) -> Int64 { min(max(row.number(column) ?? 0, 0), Self.most) }
    (ledger, name, version) = (row.text(0), row.text(1), row.text(2))
    applied = number(4)
    behind = max(0, number(3) -| number(4))
    allow = row.text(5).split(separator: ",").map(String.init)
    (seenAt, silence, isLate) = (row[6], number(7), row.flag(8))
    trouble = row[9]
    if let ledgers = row[11] {
      trouble =
        "its role of the database keeps \(ledgers) ledgers, of which \(FleetView.mostOfRole) are shown: look who has "
        + "that role"
    }
    do throws(JSONFault) {
      let members = try JSONReader.object(Array(row.text(10).utf8)).members
      status = Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
      for (name, count) in try numbers("counts") {
        if let state = JobState(rawValue: name) { counts[state] = count }
      }
    } catch {
      trouble =
        "its status in the database is damaged: look at the host, its agent, and who has its role of the database"
    }
  }

  /// Returns the messages of a list in the daemon's status; those that cannot be read are left out.
  func list<Value: JSONMessage>(_ name: String, of type: Value.Type) -> [Value] {
    // Ignored: what is no list has no elements.
    let elements = (try? status[name]?.array()) ?? []
    return elements.prefix(Self.longestList).compactMap { try? Value(json: $0) }
  }

  /// Returns numbers of the daemon's status by their names.
  func numbers(_ name: String) throws(JSONFault) -> [(String, Int64)] {
    guard let node = status[name] else { return [] }
    var numbers: [(String, Int64)] = []
    for member in try node.object().members.prefix(Self.longestList) {
      numbers.append((member.name, min(max(try member.value.integer(), 0), Self.most)))
    }
    return numbers
  }

  /// Returns a number of the daemon's status; 0 if there is none.
  func number(_ name: String) -> Int64 {
    // Ignored: a number that cannot be read counts as none.
    min(max((try? status[name]?.integer()) ?? 0, 0), Self.most)
  }

  /// Writes what the fleet knows of the host.
  fileprivate func write(into text: inout JSONText, damaged: Int) {
    let damage = "\(damaged) of its jobs cannot be shown: look at the host and who has its role of the database"
    text.object { text in
      text.member("host", name)
      text.member("ledger", ledger)
      text.member("version", version)
      text.member("seen_at", seenAt)
      text.member("late", isLate)
      text.member("behind", behind)
      text.member("trouble", trouble ?? (damaged > 0 ? damage : nil))
      text.member("allow", array: { text in for word in allow { text.value(word) } })
      text.member(
        "counts", object: { text in for state in JobState.allCases { text.member(state.rawValue, counts[state] ?? 0) } }
      )
    }
  }
}

/// The status of a fleet: that of all hosts together, and of each.
struct FleetStatus {
  let hosts: [FleetHost]
  /// By ledger, the number of jobs that could not be shown.
  let damaged: [String: Int]

  /// Returns the status as JSON.
  func json(_ texts: TextForm) -> [UInt8] {
    var text = JSONText(capacity: 4096, texts: texts)
    text.object { text in
      text.member(
        "hosts",
        array: { text in for host in hosts { host.write(into: &text, damaged: damaged[host.ledger] ?? 0) } })
      text.member("version", WaybillVersion.current)
      text.member("uptime", hosts.map { $0.number("uptime") }.max() ?? 0)
      text.member("cleanups", hosts.map { $0.number("cleanups") }.saturatingSum)
      sums("activity", ["upload", "register"], &text)
      sums("counts", JobState.allCases.map(\.rawValue), &text)
      sums("untaken", [], &text)
      for name in ["ledger_identity", "ledger_fault", "bandwidth", "configuration"] { text.member(name, String?.none) }
      list("problems", ProblemMessage.self, &text) { $0.host = $1 }
      list("gates", HoldMessage.self, &text) { $0.host = $1 }
      writePauses(into: &text)
      list("transfers", StatusMessage.Transfer.self, &text) { $0.host = $1 }
      list("destinations", DestinationMessage.self, &text) { $0.host = $1 }
      list("spools", SpoolMessage.self, &text) { $0.host = $1 }
    }
    return text.bytes
  }

  /// Writes the pauses, as a member.
  func writePauses(into text: inout JSONText) { list("pauses", HoldMessage.self, &text) { $0.host = $1 } }

  /// Writes numbers that are the sums over all hosts; some names are there even without a host.
  private func sums(_ name: String, _ names: [String], _ text: inout JSONText) {
    var sums = Dictionary(uniqueKeysWithValues: names.map { ($0, Int64(0)) })
    for host in hosts {
      // Ignored: numbers that cannot be read count as none.
      for (name, number) in (try? host.numbers(name)) ?? [] where names.isEmpty || names.contains(name) {
        sums[name] = (sums[name] ?? 0) +| number
      }
    }
    text.member(
      name, object: { text in for (name, sum) in sums.sorted(by: { $0.key < $1.key }) { text.member(name, sum) } })
  }

  /// Writes the elements of all hosts, each with its host's name.
  private func list<Value: JSONMessage>(
    _ name: String, _ type: Value.Type, _ text: inout JSONText, naming: (inout Value, String) -> Void
  ) {
    text.member(
      name,
      array: { text in
        for host in hosts {
          for var element in host.list(name, of: type) {
            naming(&element, host.name)
            element.write(into: &text)
          }
        }
      })
  }
}
