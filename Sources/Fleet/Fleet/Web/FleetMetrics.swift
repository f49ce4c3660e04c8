import ControlAPI
import Jobs
import Linux
import Messages
import PostgreSQL

/// The fleet's metrics, for monitoring programs.
struct FleetMetrics: Sendable {
  private let hosts: [FleetHost]
  private let commands: [String: FleetRequest.Waiting]
  /// By ledger, the time at which the oldest unfinished job was admitted.
  private let oldest: [String: Timestamp]

  /// The states of unfinished jobs as they stand, so that the planner sees that the index on open jobs has them all.
  private static let open = JobState.allCases.filter { !$0.isTerminal }.map { "'\($0.rawValue)'" }.joined(
    separator: ", ")

  /// Reads what is shown.
  init(_ session: PostgreSQLSession) throws {
    hosts = try FleetHost.list(session)
    commands = try FleetRequest.waiting(session)
    let rows = try session.query(
      "SELECT ledger, min(left(doc ->> 'created_at', 40)) FROM waybill.job WHERE state IN (\(Self.open)) GROUP BY ledger"
    ).rows
    oldest = rows.reduce(into: [:]) { $0[$1.text(0)] = $1[1].flatMap { Timestamp(rfc3339: $0) } }
  }

  /// Returns all metrics in Prometheus' text format; without a database, only those of this program.
  static func text(_ fleet: FleetMetrics?) -> String {
    var text = Exposition()
    text.family(
      "waybill_fleet_build_info", .gauge, "The version of the fleet's page.",
      [.init(1, ("version", WaybillVersion.current))])
    if let figures = ProcessFigures() {
      text.family(
        "process_cpu_seconds_total", .counter, "Processor time of the fleet's page.", [.init(figures.processorTime)])
      text.family(
        "process_resident_memory_bytes", .gauge, "Memory that the fleet's page holds.", [.init(figures.residentBytes)])
    }
    text.family(
      "waybill_fleet_database_up", .gauge, "1 while the database answers.", [.init(fleet == nil ? 0 : 1)])
    fleet?.describe(&text)
    return text.text
  }

  private func describe(_ text: inout Exposition) {
    let now = Timestamp(microseconds: Clocks.wall())
    func each(_ name: String, _ help: String, _ kind: Exposition.Kind = .gauge, _ value: (FleetHost) -> Int64) {
      text.family(
        name, kind, help, hosts.map { .init(value($0), ("host", $0.message.host), ("ledger", $0.message.ledger)) })
    }
    text.family(
      "waybill_fleet_host_info", .gauge, "The hosts and the versions of their daemons.",
      hosts.map { .init(1, ("host", $0.message.host), ("ledger", $0.message.ledger), ("version", $0.message.version)) })
    each("waybill_fleet_heartbeat_age_seconds", "Time since the last heartbeat of a host.") { $0.silence }
    each("waybill_fleet_host_silent", "1 while a host has missed three heartbeats.") { $0.message.late ? 1 : 0 }
    each("waybill_fleet_host_trouble", "1 while a host's agent cannot read the state or the changes of its daemon.") {
      $0.message.trouble == nil ? 0 : 1
    }
    each("waybill_fleet_lag_events", "Events of a host that the database does not have yet.") { $0.message.behind }
    each("waybill_fleet_events_total", "Events of a host's ledger that are in the database.", .counter) { $0.applied }
    text.family(
      "waybill_fleet_jobs", .gauge, "Jobs in a host's ledger by state, as of its last heartbeat.",
      hosts.flatMap { host in
        JobState.allCases.map {
          .init(
            host.message.counts[$0] ?? 0, ("host", host.message.host), ("ledger", host.message.ledger),
            ("state", $0.rawValue))
        }
      })
    each(
      "waybill_fleet_backlog_oldest_age_seconds",
      "Time since a host's oldest unfinished job was admitted; 0 without one."
    ) { host in oldest[host.message.ledger].map { max(0, (now - $0).wholeSeconds) } ?? 0 }
    func problems(_ host: FleetHost) -> [ProblemMessage] { host.list("problems") }
    each("waybill_fleet_problems", "Problems that keep a host's daemon from working.") {
      Int64(problems($0).count)
    }
    func shown(_ name: String, _ list: String, _ label: String, _ help: String) {
      text.family(
        name, .gauge, help,
        hosts.flatMap { host in
          // a series twice would be a fault of all the text
          let holds: [HoldMessage] = host.list(list)
          return Set(holds.map { String($0.destination.prefix(200)) }).sorted().map {
            Exposition.Sample(1, ("host", host.message.host), ("ledger", host.message.ledger), (label, $0))
          }
        })
    }
    shown(
      "waybill_fleet_gate_closed", "gates", "destination",
      "1 while nothing new starts at a host's destination; absent otherwise.")
    shown(
      "waybill_fleet_paused", "pauses", "target", "1 while a person has paused it on a host; absent otherwise.")
    each("waybill_fleet_commands_waiting", "Commands that a host has not carried out yet.") {
      commands[$0.message.ledger]?.commands ?? 0
    }
    each("waybill_fleet_commands_oldest_age_seconds", "How long the oldest of them has been waiting; 0 without one.") {
      commands[$0.message.ledger]?.oldestAge ?? 0
    }
  }
}
