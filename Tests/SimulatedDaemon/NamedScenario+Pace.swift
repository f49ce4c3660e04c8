import Seams
import Simulation

/// Files that are there in a crowd, and a number in flight that the daemon finds by itself, beside the same with a good fixed one.
enum Pace {
  struct World {
    var files: Int
    var size = 100
    /// The number in flight that is as good as any that is fixed.
    var best: Int
    var storage = Trouble()
    var backend = Trouble()
    /// The least share of the pace of the fixed number.
    var least: Double
    /// The least share of the files that are registered before people have the others tried again.
    var leastDone = 0.95
  }

  /// The backend takes its time, and so many of its answers in a thousand are a 502.
  static func erring(permille: Int, latency: Duration, files: Int, best: Int) -> World {
    let errors = Spell(
      .answers(status: 502, permille: permille, retryAfter: .absent, actsPermille: 0), from: .zero, until: end)
    return World(
      files: files, best: best,
      backend: Trouble(latency: Latency(base: latency, spread: latency / 5), spells: [errors]),
      least: permille > 0 ? 0.8 : 0.85)
  }

  /// Files are large, and the storage takes seven requests at once. Whoever sends more waits for its gate, and has jobs aborted that are
  /// not counted: nobody has them tried again before the end. Of the fixed numbers that were tried from 2 to 24, 12 is the best: 10
  /// registrations a minute, where 10 make 9, and 16 make 2.
  static var large: World {
    World(
      files: 80, size: (8 << 20) + 1000, best: 12,
      storage: Trouble(latency: Latency(base: .seconds(30), spread: .seconds(3)), mostAtOnce: 7), least: 0.8,
      leastDone: 0.75)
  }

  /// The backend takes ten at once, and the storage any number. Of the fixed numbers 10 is the best: 2672 registrations a minute, where 9
  /// make 2407, and 11 make 36.
  static var narrow: World {
    World(
      files: 500, best: 10, backend: Trouble(latency: Latency(base: .milliseconds(200)), mostAtOnce: 10), least: 0.8,
      leastDone: 0.9)
  }

  private static let end = Duration.seconds(1800)
  /// Of all registrations, the share by which the number is found, and that from which on only retries are left.
  private static let measured = (from: 0.5, until: 0.9)

  static func faults(of world: World, _ runner: ScenarioRunner) -> [String] {
    let fixed = runner.run(scenario(world, concurrency: world.best))
    let found = runner.run(scenario(world, concurrency: nil))
    let (best, pace) = (self.pace(fixed), self.pace(found))
    let done = found.registered.values.count { $0 < end }
    let words =
      "\(Int(pace * 60)) registrations a minute, where \(world.best) in flight make \(Int(best * 60)); \(done) in time"
    print("  \(words)")
    let isWell = pace >= world.least * best && Double(done) >= world.leastDone * Double(world.files)
    return fixed.violations + found.violations + (isWell ? [] : [words])
  }

  /// The registrations a second in the part of the run that is measured, before people see to what is left.
  private static func pace(_ outcome: ScenarioRunner.Outcome) -> Double {
    let times = outcome.registered.values.filter { $0 < end }.sorted()
    guard times.count > 10 else { return 0 }
    let first = Int(Double(times.count) * measured.from)
    let last = Int(Double(times.count) * measured.until)
    let time = times[last] - times[first]
    return Double(last - first) / max(Double(time.microseconds) / 1e6, 1e-6)
  }

  private static func scenario(_ world: World, concurrency: Int?) -> Scenario {
    var plan = ConfigurationPlan.one(0)
    plan.daemon.concurrency = concurrency
    let timeline = (1...world.files).map { plan.drop($0, at: .zero, size: world.size) }
    return plan.scenario([world.storage, world.backend], timeline, end: end)
  }
}
