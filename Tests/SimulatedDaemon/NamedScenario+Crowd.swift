import Seams
import SeededNumbers
import Simulation

/// Any number of spools, storages and backends, any of them down, slow or paused, with more files than are admitted ahead of their turn: a
/// file whose own way is open is registered as if the others had no trouble.
enum Crowd {
  private static let end = Duration.seconds(900)
  /// The files of each spool: those of a way that is not open come at once, the others one by one.
  private static let files = 90

  static func faults(of seed: UInt64, _ runner: ScenarioRunner) -> [String] {
    let world = World(seed)
    let (calm, other) = (runner.run(world.scenario(isTroubled: false)), runner.run(world.scenario(isTroubled: true)))
    return calm.violations + other.violations
      + Fairness.late(than: calm, other, world.openPrefix).map { "\(world): \($0)" }
  }

  private struct World: CustomStringConvertible {
    enum Ill {
      case meets(name: String, Condition)
      case isPaused
    }

    let openPrefix = "open"
    private var plan: ConfigurationPlan
    private var ills: [String: Ill] = [:]
    private let seed: UInt64

    init(_ seed: UInt64) {
      var numbers = SplitMix64(seed: seed)
      let pairs = (0..<2 + numbers.index(below: 3)).map { ConfigurationPlan.one($0) }
      var plan = pairs[0]
      (plan.storages, plan.backends) = (pairs.flatMap(\.storages), pairs.flatMap(\.backends))
      plan.daemon.concurrency = numbers.pick([nil, nil, 12])
      plan.daemon.admitAhead = 5 + numbers.index(below: 30)
      // The first pair is well, and has a spool of its own.
      for one in pairs.dropFirst() {
        for name in [one.storages[0].name, one.backends[0].name] where numbers.isOne(in: 600) {
          let trouble = numbers.pick(Fairness.troubles)
          ills[name] = numbers.isOne(in: 250) ? .isPaused : .meets(name: trouble.name, trouble.1)
        }
      }
      plan.spools = (0..<3 + numbers.index(below: 4)).map { number in
        let (storage, backend) = (numbers.pick(plan.storages).name, numbers.pick(plan.backends).name)
        return SpoolPlan(
          name: "in-\(number)", directory: "spools/in-\(number)",
          kind: number > 0 && numbers.isOne(in: 200) ? .group : .plain,
          storage: number == 0 ? "s0" : storage, backend: number == 0 ? "b0" : backend)
      }
      self.plan = plan
      self.seed = seed
    }

    var description: String {
      let ways = plan.spools.map { "\($0.name) to \($0.storage), \($0.backend)" }
      return
        "world \(seed) (\(ways.joined(separator: "; ")); \(ills.sorted { $0.key < $1.key }); \(plan.daemon.admitAhead) ahead)"
    }

    private func isOpen(_ spool: SpoolPlan) -> Bool { ills[spool.storage] == nil && ills[spool.backend] == nil }

    func scenario(isTroubled: Bool) -> Scenario {
      var servers: [Server] = []
      var timeline: [Moment] = []
      for index in plan.storages.indices {
        var pair = plan
        (pair.storages, pair.backends) = ([plan.storages[index]], [plan.backends[index]])
        let names = [plan.storages[index].name, plan.backends[index].name]
        servers += pair.servers(
          names.map { name in
            guard isTroubled, case .meets(_, let condition)? = ills[name] else { return Trouble() }
            return Trouble(spells: [Spell(condition, from: .zero, until: end)])
          }, end: end)
        for (name, target) in zip(names, [Action.PauseTarget.storage(names[0]), .backend(names[1])]) {
          guard isTroubled, case .isPaused? = ills[name] else { continue }
          timeline += [Moment(at: .seconds(1), .pause(target)), Moment(at: end, .resume(target))]
        }
      }
      for (place, spool) in plan.spools.enumerated() {
        let isOpen = isOpen(spool)
        for number in 0..<(spool.kind == .group ? files / 6 : files) {
          var drop = Drop(
            number: place * files + number + 1, spool: spool.directory,
            name: "\(isOpen ? openPrefix : "ill")-\(place)-\(number)", manner: .renamedIn, size: 100)
          if spool.kind == .group { drop.kind = .group(files: 12) }
          let time = isOpen ? Duration.seconds(6) + .seconds(2 * number) : .seconds(5)
          timeline.append(Moment(at: time + .milliseconds(7 * place), .drop(drop)))
        }
      }
      return plan.scenario(of: servers, seed: seed, timeline.sorted { $0.at < $1.at }, end: end)
    }
  }
}
