import CFork
import FoundationEssentials
import Glibc
import Simulation

/// Many seeds, shared out among processes.
package struct SeedRun {
  /// The sum of what came of seeds.
  package struct Totals: Codable, Sendable {
    package var failed: [UInt64] = []
    package var lives = 0
    package var requests = 0
    package var seconds: Int64 = 0
    /// The number of times that each place of ``Reach`` was reached.
    package var reached: [String: Int] = [:]

    /// The places of ``Reach`` that no seed has reached.
    package var missed: [String] { Reach.all.filter { reached[$0] == nil } }

    package init() {}

    fileprivate mutating func add(_ other: Totals) {
      failed = (failed + other.failed).sorted()
      lives += other.lives
      requests += other.requests
      seconds += other.seconds
      reached.merge(other.reached, uniquingKeysWith: +)
    }

    /// Adds what came of a seed.
    package mutating func add(_ outcome: ScenarioRunner.Outcome, of seed: UInt64) {
      lives += outcome.lives
      requests += outcome.requests
      seconds += outcome.seconds
      reached.merge(outcome.reached, uniquingKeysWith: +)
      if !outcome.violations.isEmpty { failed.append(seed) }
    }
  }

  private let folder: String
  private let elsewhere: String
  private let jobs: Int
  private let stops: Bool

  package init(folder: String, elsewhere: String, jobs: Int, stops: Bool) {
    self.folder = folder
    self.elsewhere = elsewhere
    self.jobs = max(1, jobs)
    self.stops = stops
  }

  /// Runs each seed with `body`, which returns what to print.
  package func run(
    _ seeds: Range<UInt64>, _ body: (UInt64, ScenarioRunner, inout Totals) -> String
  ) throws -> Totals {
    defer { remove() }
    try runner("trial").warmUp(.ofAllKinds)
    guard jobs > 1 else { return share(0, of: seeds, body) }
    var children: [pid_t] = []
    for job in 0..<jobs {
      let child = cfork_fork()
      if child == 0 {
        let totals = share(job, of: seeds, body)
        WorldFiles.write(Array(try JSONEncoder().encode(totals)), to: "\(folder)/totals-\(job)")
        _exit(0)
      }
      children.append(child)
    }
    var all = Totals()
    for (job, child) in children.enumerated() {
      guard child > 0, cfork_wait(child) == 0 else { throw Lost(job: job) }
      all.add(try JSONDecoder().decode(Totals.self, from: Data(contentsOf: URL(filePath: "\(folder)/totals-\(job)"))))
    }
    return all
  }

  /// Runs a body with a runner in this process.
  package func run<Value>(_ body: (ScenarioRunner) throws -> Value) throws -> Value {
    defer { remove() }
    try runner("trial").warmUp(.ofAllKinds)
    return try body(runner("0"))
  }

  private func share(
    _ job: Int, of seeds: Range<UInt64>, _ body: (UInt64, ScenarioRunner, inout Totals) -> String
  ) -> Totals {
    let runner = runner("\(job)")
    var totals = Totals()
    for seed in seeds where Int(seed % UInt64(jobs)) == job {
      // In one piece, whoever else prints.
      let text = Array(body(seed, runner, &totals).utf8)
      if !text.isEmpty { _ = unsafe text.withUnsafeBytes { unsafe Glibc.write(1, $0.baseAddress, $0.count) } }
      if stops, !totals.failed.isEmpty { break }
    }
    return totals
  }

  private func remove() {
    for folder in [folder, elsewhere] { _ = try? FileManager.default.removeItem(atPath: folder) }
  }

  private func runner(_ name: String) -> ScenarioRunner {
    ScenarioRunner(folder: "\(folder)/\(name)", elsewhere: "\(elsewhere)/\(name)")
  }

  private struct Lost: Error, CustomStringConvertible {
    let job: Int
    var description: String { "process \(job) of the simulator has died" }
  }
}

extension Scenario {
  /// A scenario without an end of the daemon that has something of everything.
  fileprivate static var ofAllKinds: Scenario {
    Scenario(
      seed: 1,
      features: [
        .severalSpools, .severalStorages, .sidecars, .groups, .recursion, .archives, .parts, .losses, .statuses,
        .outages, .jobRefusals, .pages, .answers, .cancels, .discards, .pauses, .reloads, .networkChanges,
        .slowWriters, .appending, .replacing, .touching, .modes, .keptNames,
      ])
  }
}
