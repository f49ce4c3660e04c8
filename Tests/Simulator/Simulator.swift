import ArgumentParser
import Glibc
import SimulatedDaemon
import Simulation

/// Lives of the daemon in virtual time, by seeds.
@main
struct Simulator: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waybill-simulator",
    abstract:
      "Runs the daemon in virtual time against models of its servers, with all the trouble that a seed brings.")

  @Option(help: "The first seed.") var seed: UInt64 = 1
  @Option(help: "The number of seeds.") var seeds: UInt64 = 1
  @Option(help: "Leave out seeds with more files.") var mostFiles = Int.max
  @Option(help: "The folder for the worlds; best on a tmpfs.") var folder = "/dev/shm"
  @Option(help: "The number of processes that share the seeds.") var jobs = 1
  @Option(help: "A folder on another file system, for archives and releases of some scenarios.") var elsewhere = "/tmp"
  @Flag(help: "Print what happened, also if all was well.") var history = false
  @Option(help: "Run rows of the crash table instead of seeds: their names, or all.") var rows: [String] = []
  @Option(help: "Die at this place of the rows alone: POINT:PASS:LIFE.") var at: String?
  @Option(help: "The passes of each failpoint that are tried.") var passes = 2
  @Option(help: "Try one place of so many; with --named, one scenario of cards of so many.") var share = 1
  @Option(help: "With --share: the one of them.") var turn = 0
  @Flag(help: "End at the first failure.") var stop = false
  @Flag(help: "Run the scenarios that have a name, and no seed.") var named = false
  @Flag(help: "With --named: leave out those that take long, and cards.") var quick = false
  @Flag(help: "With --named: run those that take long alone.") var long = false
  @Option(help: "With --named: run the scenarios of these names alone.") var only: [String] = []
  @Flag(help: "Fail also if the seeds do not reach each place and combination that they should.") var reach = false
  @Flag(help: "Run seeds of cards that come and go in a spool whose files stay where they are.") var cards = false
  @Flag(help: "Run as many seeds for each number from outside that is extreme; they fail if a daemon ends by a trap.")
  var extremes = false

  /// Dictionaries have another order in each process unless this variable is there from its beginning.
  private func requireOneOrder() throws {
    guard unsafe getenv("SWIFT_DETERMINISTIC_HASHING") == nil else { return }
    unsafe setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe CommandLine.arguments.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    _ = unsafe execv("/proc/self/exe", &arguments)
    throw ValidationError("SWIFT_DETERMINISTIC_HASHING=1 is to be set")
  }

  func run() throws {
    try requireOneOrder()
    let began = ContinuousClock.now
    let name = "waybill-simulation-\(getpid())"
    let (worlds, elsewhere) = ("\(folder)/\(name)", "\(elsewhere)/\(name)")
    let run = SeedRun(folder: worlds, elsewhere: elsewhere, jobs: jobs, stops: stop)
    if !rows.isEmpty { return try run.run { try runRows($0) } }
    if named { return try runNamed(run) }
    if extremes { return try runExtremes(run) }
    let totals = try run.run(seed..<seed + seeds) { seed, runner, totals in
      let scenario = cards ? Scenario(cardsOf: seed) : Scenario(seed: seed)
      guard scenario.drops.count <= mostFiles else { return "" }
      let outcome = runner.run(scenario)
      totals.add(outcome, of: seed)
      return history || !outcome.violations.isEmpty ? report(seed, outcome) : ""
    }
    let took = (ContinuousClock.now - began).components
    print(
      """
      \(seeds) seeds, \(totals.lives) lives, \(totals.requests) requests, \(totals.seconds / 3600) h of virtual time in \
      \(took.seconds).\(took.attoseconds / 100_000_000_000_000_000) s; \(totals.failed.count) failed
      """)
    if !totals.failed.isEmpty {
      print("failed: \(totals.failed.map(String.init).joined(separator: " "))")
    }
    let missed = reach ? totals.missed : []
    for name in missed { print("no seed has reached \(name)") }
    if !totals.failed.isEmpty || !missed.isEmpty { throw ExitCode.failure }
  }

  /// Each seed has the numbers of its turn.
  private func runExtremes(_ run: SeedRun) throws {
    let all = Extreme.all.enumerated().filter { $0.offset % max(1, share) == turn % max(1, share) }.map(\.element)
    let totals = try run.run(seed..<seed + seeds * UInt64(all.count)) { place, runner, totals in
      var runner = runner
      let extreme = all[Int(place - seed) % all.count]
      runner.extreme = extreme
      let outcome = runner.run(Scenario(seed: place))
      totals.lives += outcome.lives
      guard !outcome.violations.isEmpty else { return history ? "\(extreme), seed \(place): as it should\n" : "" }
      totals.failed.append(place)
      return "\(extreme), " + report(place, outcome)
    }
    print("\(all.count) extremes, \(totals.lives) lives, \(totals.failed.count) failed")
    if !totals.failed.isEmpty { throw ExitCode.failure }
  }

  private func runRows(_ runner: ScenarioRunner) throws {
    let chosen =
      try rows == ["all"]
      ? CrashRow.all
      : rows.map { name in
        guard let row = CrashRow.named(name) else {
          throw ValidationError("no such row; there are \(CrashRow.all.map(\.name).joined(separator: ", "))")
        }
        return row
      }
    let place = at.flatMap(CrashMatrix.Cell.init(words:))
    guard at == nil || place != nil else { throw ValidationError("--at takes POINT:PASS:LIFE") }
    let table = CrashTableRun(
      matrix: CrashMatrix(runner), rows: chosen, mostPasses: passes, share: (turn, max(1, share)),
      printsHistory: history, stops: stop)
    try table.run(at: place)
  }

  private func runNamed(_ run: SeedRun) throws {
    let all = NamedScenario.all.filter { only.isEmpty ? $0.isLong ? !quick : !long : only.contains($0.name) }
    let takesCards = self.cards || !(quick || long)
    let cards = NamedScenario.cards.enumerated().filter {
      only.isEmpty
        ? takesCards && $0.offset % max(1, share) == turn % max(1, share) : only.contains($0.element.name)
    }
    let chosen = (self.cards && only.isEmpty ? [] : all) + cards.map(\.element)
    let failed = try run.run { runner in
      var failed = 0
      for scenario in chosen where !stop || failed == 0 {
        if history, let one = scenario.scenario { print(report(one.seed, runner.run(one))) }
        let faults = scenario.run(runner)
        print("\(scenario.name): \(faults.isEmpty ? "all was well" : faults.joined(separator: "\n  "))")
        fflush(nil)
        if !faults.isEmpty { failed += 1 }
      }
      return failed
    }
    if failed > 0 { throw ExitCode.failure }
  }

  private func report(_ seed: UInt64, _ outcome: ScenarioRunner.Outcome) -> String {
    let result = outcome.violations.isEmpty ? "all was well" : outcome.violations.joined(separator: "\n  ")
    let lines = outcome.history.suffix(history ? .max : 60)
    return "seed \(seed): \(result)\n" + lines.map { "  \($0)\n" }.joined()
  }
}
