import CFork
import FoundationEssentials
import Glibc
import SQLite
import SeededNumbers
package import Simulation

/// Runs scenarios, one life of the daemon after the other, each in a process of its own.
package struct ScenarioRunner {
  package struct Outcome: Sendable {
    package var violations: [String]
    /// What happened, in words, the last of it.
    package var history: [String]
    package var lives: Int
    package var requests: Int
    package var operations: Int64
    package var seconds: Int64
    package var passes: [[String: Int]]
    /// The time of each file's first registration, by its name.
    package var registered: [String: Duration]
    /// The number of times that each place of ``Reach`` was reached.
    package var reached: [String: Int]
  }

  /// More lives than crashes and restarts could bring are a daemon that cannot start.
  private static let mostLives = 60
  /// The real time in seconds after which a life hangs, however busy the machine is.
  private static let patience: UInt32 = 600

  private let folder: String
  private let elsewhere: String
  /// The number from outside that is extreme; then nothing counts but how the lives end.
  package var extreme: Extreme?

  /// Worlds are made in this folder, best on a tmpfs. What is to be on another file system is made in the second one.
  package init(folder: String, elsewhere: String) {
    self.folder = folder
    self.elsewhere = elsewhere
  }

  private var root: String { "\(folder)/world" }
  private var handover: String { "\(folder)/handover" }

  /// Runs a scenario in this process, whatever comes of it. Types, formats and tables that it has needed are there in each life that
  /// follows: without anything optimized, making them takes as long as all else that a short life does.
  package func warmUp(_ scenario: Scenario) throws {
    var state = WorldState(scenario, root: root)
    defer { remove() }
    try makeWorld(of: &state)
    Life(state, root: root, handover: handover).run(isTrial: true)
  }

  private func makeWorld(of state: inout WorldState) throws {
    remove()
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    if state.scenario.isElsewhere { try makeElsewhere() }
    try state.writer.makeWorld(of: state.scenario)
    state.moments = try state.writer.leave(state.scenario, &state.books)
    WorldFiles.write(state.configuration, root: root)
  }

  package func run(_ scenario: Scenario) -> Outcome {
    var state = WorldState(scenario, root: root)
    defer { remove() }
    do {
      try makeWorld(of: &state)
    } catch {
      return outcome(state, "the world cannot be made: \(error)")
    }
    while true {
      let child = cfork_fork()
      guard child >= 0 else { return outcome(state, "no process: errno \(errno)") }
      if child == 0 {
        alarm(Self.patience)
        Life(state, root: root, handover: handover, extreme: extreme).run()
        _exit(1)  // a life ends the process itself
      }
      let status = cfork_wait(child)
      do {
        switch Life.End(rawValue: status) {
        case .over, .violated:
          var state = try WorldFiles.state(from: handover)
          if extreme != nil { state.violations = [] }
          return outcome(state, nil)
        case .again:
          state = try WorldFiles.state(from: handover)
          state.scenario = scenario
          let ledger = try LedgerAtDeath(root: root, copyingTo: "\(folder)/copy")
          if extreme == nil { state.violations += ledger.faults(try WorldFacts(root: root), state.books) }
          for name in ledger.reached(isCrash: exchange(&state.isCut, with: false)) { state.reach(name) }
          guard state.violations.isEmpty else { return outcome(state, nil) }
          let (file, copy) = ("\(root)/state/ledger.sqlite", "\(folder)/older.sqlite")
          if state.life == 0, scenario.timeline.contains(where: { $0.action == .loseLedger(.age) }) {
            try Data(contentsOf: URL(filePath: file)).write(to: URL(filePath: copy))
          }
          if state.life == 0 { state.firstEnd = .microseconds(state.elapsed) }
          if let loss = exchange(&state.loss, with: nil) { try lose(loss, of: file, copy, &state) }
          // Ignored: a ledger that is not there, or damaged by now, has no rows.
          _ = try? extreme?.alter(ledger: "\(root)/state/ledger.sqlite")
          state.life += 1
          if state.life > Self.mostLives { return outcome(state, "the daemon does not stay: \(state.life) lives") }
        case nil:
          return outcome(state, status == 1000 + SIGALRM ? "a life hangs" : "a life ended with status \(status)")
        }
      } catch {
        return outcome(state, "the world cannot be read: \(error)")
      }
    }
  }

  private func lose(_ loss: LedgerLoss, of ledger: String, _ copy: String, _ state: inout WorldState) throws {
    let (folder, file) = ("\(root)/state", URL(filePath: ledger))
    switch loss {
    case .whole:
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("ledger") {
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      }
    case .bit:
      var bytes = try Data(contentsOf: file)
      bytes[0] ^= 1
      try bytes.write(to: file)
    case .half:
      let bytes = try Data(contentsOf: file)
      try bytes.prefix(bytes.count / 2).write(to: file)
    case .log: try FileManager.default.removeItem(atPath: ledger + "-wal")
    case .value: return try damageRow(of: ledger, &state)
    case .age: try Data(contentsOf: URL(filePath: copy)).write(to: file)
    }
    let isOlder = loss == .log || loss == .age
    state.books.lostLedger(since: isOlder ? state.firstEnd : .zero)
    state.history.append("the ledger has lost \(loss.rawValue)")
  }

  /// Changes a value in a row of a job. Its keys stay: nobody could say whose row it was.
  private func damageRow(of ledger: String, _ state: inout WorldState) throws {
    // The log of a kill would be gone too.
    guard (try? Data(contentsOf: URL(filePath: ledger + "-wal")))?.isEmpty ?? true else { return }
    let db = try Database(path: ledger)
    defer { db.close() }
    var numbers = SplitMix64(seed: state.seed)
    let query = "SELECT number, lower(hex(id)), CAST(name AS TEXT) FROM job JOIN ticket ON ticket.job = job.number"
    let jobs = try db.all(query) { row in
      (number: row[0] as Int64, id: LedgerAtDeath.dashed(row[1]), name: row[2] as String)
    }
    for _ in 0..<100 where !jobs.isEmpty {
      let job = numbers.pick(jobs)
      let table = numbers.pick(["job", "ticket", "trouble", "stored", "registration", "member", "cleanup"])
      let key = table == "job" ? "number" : "job"
      let columns = try db.all("SELECT '\"' || name || '\"', type FROM pragma_table_info(?)", [table]) { row in
        (name: row[0] as String, type: row[1] as String)
      }
      let (column, type) = numbers.pick(columns.filter { !["\"\(key)\"", "\"id\""].contains($0.name) })
      let value =
        switch type {
        case "INTEGER": numbers.pick(["\(column) + 1", "-1 - \(column)", "0", "\(Int64.max)"])
        case "TEXT": numbers.pick(["''", "'x' || \(column)", "substr(\(column), 2)"])
        default: numbers.pick(["x''", "zeroblob(length(\(column)))"])
        }
      let before = db.totalChanges
      // Ignored: what the schema does not allow is in no row.
      _ = try? db.execute(
        "UPDATE \(table) SET \(column) = \(value) WHERE \(key) = ? AND \(column) IS NOT \(value)", [job.number])
      guard db.totalChanges > before else { continue }
      let name = job.name.split(separator: "/").last.map(String.init) ?? job.name
      state.books.damage(id: job.id, name: name, at: .microseconds(state.elapsed))
      state.history.append("\(table).\(column) of job \(job.number) is \(value)")
      return state.reach(Reach.Place.damagedRow.rawValue)
    }
  }

  private func remove() {
    for folder in [folder, elsewhere] { _ = try? FileManager.default.removeItem(atPath: folder) }
  }

  /// Puts archives and the folder for releases on the other file system.
  private func makeElsewhere() throws {
    for name in ["archives", ConfigurationPlan.releaseFolder] {
      try FileManager.default.createDirectory(atPath: "\(elsewhere)/\(name)", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: "\(root)/\(name)", withDestinationPath: "\(elsewhere)/\(name)")
    }
  }

  private func outcome(_ state: WorldState, _ words: String?) -> Outcome {
    Outcome(
      violations: state.violations + [words].compactMap(\.self), history: state.history, lives: state.life + 1,
      requests: state.network.sent, operations: state.operations, seconds: state.elapsed / 1_000_000,
      passes: state.passes, registered: state.registered, reached: state.reached)
  }
}
