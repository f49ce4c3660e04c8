import ChildProcesses
import Foundation
import PostgreSQL
import Synchronization
import Testing

@testable import Fleet

/// A daemon's ledger in a few numbers: jobs that change with and without events, are forgotten, restored and restarted.
private final class ModelDaemon: Sendable {
  enum Happening: CaseIterable {
    case changeFirst, quietChange, admit, forget, restart, restore, restoreWithoutNumbers
  }

  struct Ledger {
    var jobs: [Int: Int] = [1: 1, 2: 1]
    var nextJob = 3
    var events = [1, 2]
    var last = 2
  }

  struct State {
    var ledger = Ledger()
    fileprivate var backup = Ledger()
    var generation = 1
    fileprivate var run = 1
    fileprivate var changes: [Int] = []
    fileprivate var dropped = 0
    /// The number of answers until the agent dies, before it has written another one; nil for never.
    fileprivate var answersLeft: Int?
  }

  struct Died: Error {}

  /// So few are kept that a test goes beyond them.
  static let eventsKept = 3
  private static let changesKept = 3
  private static let pageOfJobs = 2

  let uuid: String
  let state = Mutex(State())

  init(_ uuid: String) { self.uuid = uuid }

  func happen(_ happening: Happening) {
    state.withLock { state in
      switch happening {
      case .changeFirst: if let first = state.ledger.jobs.keys.min() { Self.change(first, &state, isQuiet: false) }
      case .quietChange: if let last = state.ledger.jobs.keys.max() { Self.change(last, &state, isQuiet: true) }
      case .admit:
        state.ledger.jobs[state.ledger.nextJob] = 0
        Self.change(state.ledger.nextJob, &state, isQuiet: false)
        state.ledger.nextJob += 1
      case .forget:
        guard let first = state.ledger.jobs.keys.min() else { return }
        state.ledger.jobs[first] = nil
        Self.note(first, &state)
      case .restart:
        (state.run, state.changes, state.dropped) = (state.run + 1, [], 0)
      case .restore, .restoreWithoutNumbers:
        let last = state.ledger.last
        state.ledger = state.backup
        // the numbers go on, unless the ledger that was replaced cannot be read
        if happening == .restore { state.ledger.last = max(last, state.ledger.last) }
        state.generation += 1
        (state.run, state.changes, state.dropped) = (state.run + 1, [], 0)
        Self.change(1, &state, isQuiet: false)
      }
    }
  }

  private static func change(_ job: Int, _ state: inout State, isQuiet: Bool) {
    guard let revision = state.ledger.jobs[job] else { return }
    state.ledger.jobs[job] = revision + 1
    note(job, &state)
    if isQuiet { return }
    state.ledger.last += 1
    state.ledger.events.append(state.ledger.last)
  }

  private static func note(_ job: Int, _ state: inout State) {
    state.changes.append(job)
    if state.changes.count > changesKept {
      state.changes.removeFirst()
      state.dropped += 1
    }
  }

  func letDie(after answers: Int?) { state.withLock { $0.answersLeft = answers } }

  func get(_ path: String) throws -> [UInt8] {
    let url = try #require(URLComponents(string: "http://localhost" + path))
    #expect(url.queryItems?.contains { $0.name == "texts" && $0.value == "coded" } == true)
    func value(_ name: String) -> String? { url.queryItems?.first { $0.name == name }?.value }
    return try state.withLock { state in
      if let left = state.answersLeft {
        guard left > 0 else { throw Died() }
        state.answersLeft = left - 1
      }
      let answer =
        url.path == "/v1/changes"
        ? changes(after: Int(value("after") ?? "") ?? 0, seen: value("seen"), state)
        : Self.page(after: value("after").flatMap { Int($0.dropFirst()) } ?? 0, state)
      return Array(answer.utf8)
    }
  }

  private func changes(after: Int, seen: String?, _ state: State) -> String {
    let end = state.dropped + state.changes.count
    let words = seen?.split(separator: "-").compactMap { Int($0) } ?? []
    let place = words.count == 2 && words[0] == state.run && words[1] >= state.dropped ? words[1] : nil
    let oldest = max(0, state.ledger.last - Self.eventsKept)
    let isReset = after > state.ledger.last || after < oldest
    let start = isReset ? oldest : after
    let changed = place.map { Set(state.changes[($0 - state.dropped)...]).sorted() } ?? []
    let gone = changed.filter { state.ledger.jobs[$0] == nil }
    return changesAnswer(
      uuid, generation: state.generation, reset: isReset, events: state.ledger.events.filter { $0 > start },
      last: state.ledger.last, all: place == nil, jobs: changed.compactMap { Self.job($0, state) }, gone: gone,
      seen: "\(state.run)-\(end)")
  }

  private static func page(after number: Int, _ state: State) -> String {
    let rest = state.ledger.jobs.keys.filter { $0 > number }.sorted()
    let page = rest.prefix(pageOfJobs)
    let next = page.count == rest.count ? "null" : "\"j\(page.last ?? 0)\""
    return "{\"jobs\":[\(page.compactMap { job($0, state) }.joined(separator: ","))],\"next\":\(next)}"
  }

  /// The revision alone would not tell two lives of a ledger apart: the generation is in the size.
  private static func job(_ number: Int, _ state: State) -> String? {
    state.ledger.jobs[number].map { "{\"job\":\(number),\"revision\":\($0),\"size\":\(state.generation)}" }
  }
}

func changesAnswer(
  _ ledger: String, generation: Int = 1, reset: Bool = false, events: [Int] = [], last: Int, all: Bool = false,
  jobs: [String] = [], gone: [Int] = [], seen: String
) -> String {
  let events = events.map {
    "{\"id\":\($0),\"at\":\"2026-11-21T00:00:00.000Z\",\"event\":\"gate-opened\",\"message\":\"x\"}"
  }
  return """
    {"ledger":{"uuid":"\(ledger)","generation":\(generation)},"reset":\(reset),"events":[\(events.joined(separator: ","))],
    "up_to":\(last),"last":\(last),"all":\(all),"jobs":[\(jobs.joined(separator: ","))],"gone":\(gone),"seen":"\(seen)","more":false}
    """
}

/// Whatever happens to a ledger between, before and after the answers to an agent that dies at any of them: in the end the fleet's
/// tables are as the ledger.
@Suite(.serialized, .needs(.postgreSQL)) struct MirrorModelTests {
  private static func open(_ daemon: ModelDaemon, _ connection: PostgreSQLConnection) async throws -> Mirror {
    try await Mirror.open(
      connection, ledger: daemon.uuid, session: "s", name: "one", allow: [], heartbeat: .seconds(60))
  }

  /// An agent that starts from what the tables say, and applies so many answers before it dies.
  private static func runAgent(
    _ daemon: ModelDaemon, _ connection: PostgreSQLConnection, answers: Int?
  ) async throws {
    daemon.letDie(after: answers)
    var mirror = try await open(daemon, connection)
    do {
      while try await mirror.step(wait: 0, get: { try daemon.get($0) }) {}
    } catch is ModelDaemon.Died {}
  }

  /// The differences between the fleet's tables and the ledger, in words. An event that is applied twice is an error of the database.
  private static func faults(_ daemon: ModelDaemon, _ connection: PostgreSQLConnection) async throws -> [String] {
    let (rows, events) = try await connection.run { session in
      (
        try session.query(
          "SELECT number, revision, doc ->> 'revision', doc ->> 'size' FROM waybill.job WHERE ledger = $1 ORDER BY number",
          [daemon.uuid]
        ).rows.map { row in (0..<4).map { row.text($0) }.joined(separator: " ") },
        try session.query("SELECT sequence FROM waybill.event WHERE ledger = $1", [daemon.uuid]).rows
          .map { $0.number(0) }
      )
    }
    let (ledger, generation) = daemon.state.withLock { ($0.ledger, $0.generation) }
    let truth = ledger.jobs.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value) \($0.value) \(generation)" }
    var faults: [String] = []
    if rows != truth { faults.append("rows \(rows), not \(truth)") }
    let kept = ledger.events.filter { $0 > ledger.last - ModelDaemon.eventsKept }
    if !kept.allSatisfy({ events.contains(Int64($0)) }) { faults.append("events \(kept) not all in \(events)") }
    return faults
  }

  private static let happenings = ModelDaemon.Happening.allCases

  /// All orders of three happenings, with an agent after each that dies after none, one, two or all of its answers: a fifth of them in
  /// each run.
  @Test(arguments: happenings.indices) func everyOrderConverges(first: Int) async throws {
    try await FleetSchemaTests.withTables { server in
      let connection = try PostgreSQLConnection(server.database("one"), preparation: ["SET synchronous_commit = off"])
      let deaths: [Int?] = [0, 1, 2, nil]
      var orders = 0
      for second in Self.happenings {
        for third in Self.happenings {
          for one in deaths {
            for two in deaths {
              orders += 1
              guard Seeds.takes(orders, of: 5) else { continue }
              let daemon = ModelDaemon(Fleet200.ledger(orders))
              try await Self.runAgent(daemon, connection, answers: nil)
              daemon.happen(Self.happenings[first])
              try await Self.runAgent(daemon, connection, answers: one)
              daemon.happen(second)
              try await Self.runAgent(daemon, connection, answers: two)
              daemon.happen(third)
              try await Self.runAgent(daemon, connection, answers: nil)
              let words = "\(Self.happenings[first]), dies after \(one ?? -1), \(second), after \(two ?? -1), \(third)"
              #expect(try await Self.faults(daemon, connection) == [], "\(words)")
            }
          }
        }
      }
    }
  }

  /// Longer orders, at random: more than the daemon keeps happens between two agents.
  @Test func longRandomOrdersConverge() async throws {
    try await FleetSchemaTests.withTables { server in
      let connection = try PostgreSQLConnection(server.database("one"), preparation: ["SET synchronous_commit = off"])
      for (number, seed) in Seeds.many(0..<20).enumerated() {
        var random = SplitMix64(seed: seed)
        let daemon = ModelDaemon(Fleet200.ledger(number + 1))
        for _ in 0..<60 {
          for _ in 0..<Int.random(in: 0...4, using: &random) {
            daemon.happen(ModelDaemon.Happening.allCases.randomElement(using: &random) ?? .admit)
          }
          try await Self.runAgent(daemon, connection, answers: [0, 1, 2, 3, nil].randomElement(using: &random) ?? nil)
        }
        try await Self.runAgent(daemon, connection, answers: nil)
        #expect(try await Self.faults(daemon, connection) == [], "seed \(seed)")
      }
    }
  }

  /// PostgreSQL stores no NUL, which an answer may have in a text; and two backslashes before it are another text.
  @Test func textsWithNULAreStored() async throws {
    try await FleetSchemaTests.withTables { server in
      var mirror = try await FleetSchemaTests.fill(server)
      let job = #"{"job":2,"revision":1,"name":"a\u0000\u0000b\\u0000\\\u0000"}"#
      let answer = changesAnswer(FleetSchemaTests.ledger, last: 1, jobs: [job], seen: "t")
      _ = try await mirror.take(Array(answer.utf8))
      let name = try await server.sql("SELECT name FROM waybill.job WHERE number = 2").output
      #expect(name == "a\u{FFFD}\u{FFFD}b\\u0000\\\u{FFFD}\n")
    }
  }

  @Test func detectsSecondWriter() async throws {
    try await FleetSchemaTests.withTables { server in
      let connection = try PostgreSQLConnection(server.database("one"))
      let daemon = ModelDaemon(FleetSchemaTests.ledger)
      var one = try await Self.open(daemon, connection)
      var other = one
      _ = try await one.step(wait: 0) { try daemon.get($0) }
      await #expect(throws: Mirror.Refused.moved) { _ = try await other.step(wait: 0) { try daemon.get($0) } }
    }
  }
}
