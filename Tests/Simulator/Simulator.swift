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
      "Runs the daemon in virtual time against models of its far sides, with all the trouble that a seed brings.")

  @Option(help: "The first seed.") var seed: UInt64 = 1
  @Option(help: "The number of seeds.") var seeds: UInt64 = 1
  @Option(help: "The folder for the worlds; best on a tmpfs.") var folder = "/dev/shm"
  @Flag(help: "Print what happened, also if all was well.") var history = false
  @Flag(help: "Look for a simpler scenario that fails as well.") var shrink = false

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
    let runner = ScenarioRunner(folder: "\(folder)/waybill-simulation-\(getpid())")
    var failed: [UInt64] = []
    var (lives, requests, seconds) = (0, 0, Int64(0))
    for seed in seed..<seed + seeds {
      let scenario = Scenario(seed: seed)
      let outcome = runner.run(scenario)
      lives += outcome.lives
      requests += outcome.requests
      seconds += outcome.seconds
      if history || !outcome.violations.isEmpty { report(seed, outcome) }
      guard !outcome.violations.isEmpty else { continue }
      failed.append(seed)
      if shrink { report(seed, runner.shrink(scenario)) }
    }
    print(
      "\(seeds) seeds, \(lives) lives, \(requests) requests, \(seconds / 3600) h of virtual time; \(failed.count) failed"
    )
    if !failed.isEmpty {
      print("failed: \(failed.map(String.init).joined(separator: " "))")
      throw ExitCode.failure
    }
  }

  private func report(_ seed: UInt64, _ outcome: ScenarioRunner.Outcome) {
    print("seed \(seed): \(outcome.violations.isEmpty ? "all was well" : outcome.violations.joined(separator: "\n  "))")
    for line in outcome.history.suffix(history ? .max : 60) { print("  \(line)") }
  }

  private func report(_ seed: UInt64, _ simplest: (scenario: Scenario, outcome: ScenarioRunner.Outcome)) {
    print("seed \(seed), shrunk: \(simplest.scenario)")
    report(seed, simplest.outcome)
  }
}
