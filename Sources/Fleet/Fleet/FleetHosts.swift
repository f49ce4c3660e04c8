import ControlAPI
import Jobs
import Messages
import PostgreSQL

struct FleetHost: Sendable {
  /// Its message. `trouble`: the agent cannot read its state or its changes, or the fleet cannot show all of it.
  var message: HostMessage
  /// The daemon's own status, as members by their names: a later version may write it, so it is read as far as it is understood.
  private var status: [String: JSONNode] = [:]

  /// The largest number that is shown, so small that the numbers of many hosts can be added.
  private static let most: Int64 = 1_000_000_000_000_000
  /// The most bytes of all states of one role's hosts.
  private static let mostStatusOfRole = 2 << 20
  private static let longestList = 1000
  fileprivate static let noJobs = Dictionary(uniqueKeysWithValues: JobState.allCases.map { ($0, 0) })

  /// Returns all hosts by name; of a role with very many hosts only the first ones.
  static func list(_ session: PostgreSQLSession, _ hosts: Set<String> = []) throws -> [FleetHost] {
    let condition = FleetCondition(hosts: hosts)
    return try session.query(
      """
      SELECT ledger, \(FleetView.name("name")), \(FleetView.name("version")), last, applied, \(FleetView.name("allow")),
        CASE WHEN \(FleetView.isUsual("seen_at")) THEN \(FleetView.time("seen_at")) END,
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
    message = HostMessage(
      host: row.text(1), ledger: row.text(0), version: row.text(2),
      seenAt: row[6].flatMap { Timestamp(rfc3339: $0) }, late: row.flag(7),
      behind: max(0, number(3) -| number(4)), trouble: row[8].map { Message(stored: $0) },
      allow: row.text(5).split(separator: ",").map(String.init))
    if let ledgers = row[10] {
      message.trouble = .fleetLedgersHidden(ledgers: ledgers, shown: FleetView.mostOfRole)
    }
    do throws(JSONFault) {
      let members = try JSONReader.object(Array(row.text(9).utf8)).members
      status = Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    } catch {
      message.trouble = .fleetStatusDamaged
    }
    message.counts = Self.noJobs.merging(numbers("counts", by: JobState.init(rawValue:))) { $1 }
  }

  /// Returns the messages of a list in the daemon's status, as far as they can be read.
  func list<Value: JSONMessage>(_ name: String) -> [Value] {
    // Ignored: what is no list has no elements.
    let elements = (try? status[name]?.array()) ?? []
    return elements.prefix(Self.longestList).compactMap { try? Value(json: $0) }
  }

  func numbers<Key: Hashable>(_ name: String, by key: (String) -> Key?) -> [Key: Int] {
    // Ignored: what is no object has no members.
    let members = (try? status[name]?.object().members) ?? []
    let read = members.prefix(Self.longestList).compactMap { member in
      key(member.name).map { ($0, Self.number(member.value)) }
    }
    return Dictionary(read, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the registrations in each minute of the hour before the daemon's status was read: of a host that is late, another hour.
  var lastHour: [Int] {
    // Ignored: what is no list has no elements.
    let numbers = ((try? status["last_hour"]?.array()) ?? []).suffix(60).map { Self.number($0) }
    return Array(repeating: 0, count: 60 - numbers.count) + numbers
  }

  func number(_ name: String) -> Int { Self.number(status[name]) }

  private static func number(_ node: JSONNode?) -> Int {
    // Ignored: a number that cannot be read counts as none.
    Int(min(max((try? node?.integer()) ?? 0, 0), most))
  }
}

extension StatusMessage {
  init(of hosts: [FleetHost]) {
    func sums<Key>(_ numbers: (FleetHost) -> [Key: Int]) -> [Key: Int] {
      hosts.reduce(into: [:]) { $0.merge(numbers($1), uniquingKeysWith: +|) }
    }
    func all<Value: JSONMessage>(_ name: String, _ host: WritableKeyPath<Value, String?>) -> [Value] {
      hosts.flatMap { of in
        of.list(name).map { (element: Value) in
          var element = element
          element[keyPath: host] = of.message.host
          return element
        }
      }
    }
    let activity = sums { $0.numbers("activity", by: \.self) }
    self.init(
      version: WaybillVersion.current, uptime: Int64(hosts.map { $0.number("uptime") }.max() ?? 0),
      activity: Activity(upload: activity["upload"] ?? 0, register: activity["register"] ?? 0),
      counts: FleetHost.noJobs.merging(sums(\.message.counts)) { $1 },
      lastHour: hosts.reduce(into: Array(repeating: 0, count: 60)) { sums, host in
        for (minute, count) in host.lastHour.enumerated() where !host.message.late { sums[minute] +|= count }
      },
      gates: all("gates", \.host), pauses: all("pauses", \.host),
      cleanups: hosts.map { $0.number("cleanups") }.saturatingSum, transfers: all("transfers", \.host),
      destinations: all("destinations", \.host), spools: all("spools", \.host), problems: all("problems", \.host),
      untaken: sums { $0.numbers("untaken", by: \.self) },
      hosts: hosts.map(\.message))
  }
}
