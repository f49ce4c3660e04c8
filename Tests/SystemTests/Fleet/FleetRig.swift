import ChildProcesses
import Foundation
import Glibc
import Linux
import Seams
import Synchronization
import Testing

@testable import Harness

/// A database, servers, and hosts with a daemon and an agent each.
final class FleetRig: Sendable {
  let folder: URL
  let server: PostgreSQLServer
  let sandbox: Sandbox
  let hosts: [FleetHost]
  /// The line between the agents and the database, if they have one of their own.
  let line: NetworkLink?
  var operatorDatabase: String { server.database("anna") }

  fileprivate init(
    folder: URL, server: PostgreSQLServer, sandbox: Sandbox, hosts: [FleetHost], line: NetworkLink?
  ) {
    (self.folder, self.server, self.sandbox, self.hosts, self.line) = (folder, server, sandbox, hosts, line)
  }

  func fleet(_ words: String...) async throws -> Command {
    try await Command.run([Products.fleet] + words + ["--database", operatorDatabase])
  }

  func sql(_ sql: String) async throws -> String { try await server.output(of: sql) }

  /// The differences between the fleet's tables and what the daemons say of themselves, in words.
  func differences(of some: [FleetHost]? = nil) async throws -> [String] {
    var faults: [String] = []
    for host in some ?? hosts {
      let identity = try await host.daemon.status().ledger_identity
      let ledger = identity.uuid.string ?? ""
      let text = try await sql(
        "SELECT coalesce(json_agg(doc ORDER BY number), '[]') FROM waybill.job WHERE ledger = '\(ledger)'")
      let mirrored = try JSONValue(parsing: text).array.map(Self.lasting)
      let told = try await Self.told(host).map(Self.lasting)
      if mirrored != told {
        let first = zip(mirrored, told).first { $0 != $1 }
        faults.append("\(host.name): \(mirrored.count) rows, not \(told.count): \(first.map { "\($0)" } ?? "")")
      }
      // each event that the daemon still has is there once, in the life in which it was told
      let events = try await sql(
        "SELECT sequence FROM waybill.event WHERE ledger = '\(ledger)' ORDER BY generation, sequence"
      )
      .split(separator: "\n").compactMap { Int($0) }
      let last = try await host.daemon.control("GET", "/v1/log?limit=1").json.last.int ?? 0
      // what a person did and what failed a daemon keeps for longer than a copy can go on from
      let expected = try await host.daemon.events()
        .filter { !["admitted", "uploaded", "registered"].contains($0.event) }
        .compactMap(\.id.int).filter { $0 > last - FleetSize.eventsKept }
      let missing = Set(expected).subtracting(events)
      if !missing.isEmpty {
        let first = missing.min() ?? 0
        let told = try await host.daemon.control("GET", "/v1/log?order=oldest&limit=1&after=\(first - 1)").json
        let reached = try await sql(
          "SELECT generation, applied, last, seen FROM waybill.host WHERE ledger = '\(ledger)'")
        faults.append(
          "\(host.name): events \(missing.sorted().prefix(5)) of \(expected.count) missing, first \(told), fleet at \(reached)"
        )
      }
    }
    return faults
  }

  private static func told(_ host: FleetHost) async throws -> [JSONValue] {
    var (jobs, next): ([JSONValue], String?) = ([], nil)
    repeat {
      let after = next.map { "&after=" + percentEncoded($0) } ?? ""
      let page = try await host.daemon.control("GET", "/v1/jobs?texts=coded&limit=1000" + after).json
      jobs += page.jobs.array
      next = page.next.string
    } while next != nil
    return jobs
  }

  /// A job without what changes by itself: what holds it follows from the gates.
  private static func lasting(_ job: JSONValue) -> JSONValue {
    .object(job.members.filter { $0.key != "held_by" && $0.key != "next_attempt_at" })
  }

  func untilExact(
    _ some: [FleetHost]? = nil, within limit: Duration = patience, line: Int = #line
  ) async throws {
    var last: [String] = []
    do {
      try await until("the fleet to be exact", within: limit, every: .milliseconds(300), line: line) {
        last = try await differences(of: some)
        return last.isEmpty
      }
    } catch {
      throw WentAstray(description: "line \(line): \(error): \(last.prefix(4)); agents: \(hosts.map(\.agentText))")
    }
  }
}

extension PostgreSQLServer {
  func output(of sql: String) async throws -> String {
    let answer = try await self.sql(sql)
    guard answer.status == 0 else { throw WentAstray(description: "\(sql): \(answer.errors)") }
    return answer.output
  }

  /// The statement that asks a host for a command by values in SQL.
  static func asking(
    _ action: String = "'cancel'", of job: Int = 1, at ledger: String, owner: String = "host1", revision: String = "1",
    arguments: String = "'{}'", by: String = "'anna'", until: String = "now() + interval '1 h'"
  ) -> String {
    """
    INSERT INTO waybill.command (batch, ledger, owner, job, revision, action, arguments, by_user, expires_at)
    VALUES (gen_random_uuid(), '\(ledger)', '\(owner)', \(job), \(revision), \(action), \(arguments), \(by), \(until))
    """
  }

  /// Asks for a command about jobs as the rows that a request is, and returns the condition that finds its commands.
  func ask(_ action: String, _ arguments: JSONValue = [:], where jobs: String = "true") async throws -> String {
    let answer = try await sql(
      """
      WITH batch AS MATERIALIZED (SELECT gen_random_uuid() AS batch), asked AS (
        INSERT INTO waybill.command (batch, ledger, owner, job, revision, action, arguments, by_user, expires_at)
        SELECT batch, host.ledger, host.owner, job.number, job.revision, '\(action)',
          \(Fleet200.quoted("\(arguments)")), 'anna', now() + interval '1 day'
        FROM batch, waybill.host AS host JOIN waybill.job AS job USING (ledger) WHERE \(jobs) RETURNING batch
      )
      SELECT batch FROM batch WHERE EXISTS (SELECT FROM asked)
      """, as: "anna")
    guard answer.status == 0, let batch = answer.output.split(separator: "\n").first else {
      throw WentAstray(description: "\(action): \(answer)")
    }
    return "batch = '\(batch)'"
  }

  /// The outcomes of commands that are all answered, with their numbers, e.g. `done: 2`.
  func outcomes(_ commands: String) async throws -> [String] {
    try await until("all of \(commands) to be answered") {
      try await sql("SELECT count(*) FROM waybill.command WHERE outcome IS NULL AND \(commands)").output == "0\n"
    }
    return try await sql(
      "SELECT outcome || ': ' || count(*) FROM waybill.command WHERE \(commands) GROUP BY outcome ORDER BY outcome"
    ).output.split(separator: "\n").map(String.init)
  }

  func addRole(_ name: String, _ group: String) async throws {
    let made = try await sql("CREATE ROLE \"\(name)\" LOGIN IN ROLE \(group)")
    guard made.status == 0 else { throw WentAstray(description: "\(name): \(made.errors)") }
  }
}

final class FleetHost: Sendable {
  let name: String
  let daemon: Daemon
  private let configuration: URL
  private let prefix: [String]
  private let started = Mutex<ChildProcess?>(nil)
  private var agent: ChildProcess? { started.withLock { $0 } }

  fileprivate init(
    _ name: String, _ daemon: Daemon, in folder: URL, database: String, lines: [String], prefix: [String]
  ) throws {
    self.name = name
    self.prefix = prefix
    self.daemon = daemon
    configuration = folder.appending(path: "fleet.toml")
    let text = """
      database = "\(database)"
      name = "\(name)"
      socket = "\(daemon.setup.socket)"
      heartbeat = "1s"
      \(lines.joined(separator: "\n"))

      """
    try text.write(to: configuration, atomically: true, encoding: .utf8)
  }

  func startAgent(dying: [String: String] = [:]) throws {
    let child = try ChildProcess(
      prefix + [Products.fleet, "agent", "--config", configuration.path], environment: dying)
    started.withLock { $0 = child }
  }

  func agentDies(at point: Failpoint) async throws {
    let end = try await agent?.end()
    guard end == .signal(SIGKILL), let child = agent, Failpoint.met(by: child) == point else {
      throw WentAstray(description: "the agent did not die at \(point): \(end as Any), \(agentText)")
    }
  }

  func killAgent() async throws {
    agent?.signal(SIGKILL)
    _ = try await agent?.end()
  }

  func stopAgent() async throws -> ChildProcess.End? {
    agent?.signal(SIGTERM)
    return try await agent?.end()
  }

  var agentText: String { String((agent?.errorText ?? "").suffix(300)) }

  func drop(_ name: String) throws {
    let outside = try daemon.setup.folder.madeFolder("outside")
    let file = outside.appending(path: name)
    try Data("bytes of \(name)\n".utf8).write(to: file)
    try FileManager.default.moveItem(at: file, to: daemon.setup.spool.appending(path: name))
  }
}

/// Every process ends with the body; `byLine` puts the database into another network namespace, to which one line leads.
func withFleet(
  _ count: Int, faults: JSONValue? = nil, lines: [String] = [], starting: Bool = true, byLine: Bool = false,
  options: [String] = [], line: Int = #line,
  _ adjust: (inout DaemonSetup) throws -> Void = { _ in },
  _ body: (FleetRig) async throws -> Void
) async throws {
  let folder = try TemporaryFolder()
  let near = byLine ? try await NetworkNamespace(in: folder.url, log: "near") : nil
  let far = byLine ? try await NetworkNamespace(in: folder.url, log: "far") : nil
  let server = try await PostgreSQLServer(
    in: try folder.folder("postgres"), prefix: far?.prefix ?? [],
    options: options + (byLine ? ["-h", "127.0.0.1"] : []))
  func reached(_ role: String) -> String {
    byLine ? "host=\(NetworkLink.address) user='\(role)' dbname=postgres" : server.database(role)
  }
  var link: NetworkLink?
  if let near, let far {
    link = try await NetworkLink(from: near, to: far, port: 5432, in: folder.url) {
      try await Command.run(near.prefix + PostgreSQLServer.psql + ["-qAt", reached("postgres"), "-c", "SELECT 1"])
        .status == 0
    }
  }
  let sandbox = try await Sandbox(in: folder.url, arguments: [])
  if let faults { try await sandbox.fail(faults) }
  try await Command.require([Products.fleet, "migrate", "--database", server.database()])
  try await server.addRole("anna", "waybill_operator")
  let user = try await OwnUser.name
  var hosts: [FleetHost] = []
  for number in 1...count {
    let name = "host\(number)"
    try await server.addRole(name, "waybill_host")
    let place = try folder.folder(name)
    var setup = DaemonSetup(folder: place, storage: sandbox.storage, backend: sandbox.backend)
    setup.daemonLines = ["fleet_user = \"\(user)\""]
    try adjust(&setup)
    try setup.write()
    let host = try FleetHost(
      name, Daemon(setup), in: place, database: reached(name), lines: lines, prefix: near?.prefix ?? [])
    hosts.append(host)
    try await host.daemon.start(line: line)
    if starting { try host.startAgent() }
  }
  do {
    try await body(
      FleetRig(folder: folder.url, server: server, sandbox: sandbox, hosts: hosts, line: link))
  } catch {
    Issue.record("\(error)\nagents: \(hosts.map(\.agentText))")
  }
}
