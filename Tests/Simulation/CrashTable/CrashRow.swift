import Linux
package import Seams

/// A scenario of the crash table: a few files and what is done with them, without chance, so that the daemon reaches certain
/// failpoints.
package struct CrashRow: Sendable {
  package var name: String
  /// What happens. Its crashes are those that come before the one that is tried.
  package var scenario: Scenario
  /// The failpoints at which the daemon is to die; nil for each one that it reaches, none for a scenario of trouble alone.
  package var points: [Failpoint]?

  package static func named(_ name: String) -> CrashRow? { all.first { $0.name == name } }

  package static let all = plain + archives + kept + duplicates + stopped + sidecars + groups + machine + troubles
}

/// Puts a row together: one storage, one backend, one spool, all with small delays.
struct RowMaker {
  var spool = SpoolPlan(name: "in", directory: "spools/in", storage: "s", backend: "b")
  var otherSpools: [SpoolPlan] = []
  var storage = ConfigurationPlan.Storage(name: "s", host: "s.storage.example")
  var backend = ConfigurationPlan.Backend(name: "b", host: "b.backend.example")
  var daemon = ConfigurationPlan.Daemon()
  var storageTrouble = Trouble(latency: Latency(base: .milliseconds(20)))
  var backendTrouble = Trouble(latency: Latency(base: .milliseconds(20)))
  var timeline: [Moment] = []
  var wishes: [Wish] = []
  var crashes: [Crash] = []
  var isElsewhere = false
  /// When people begin to see to the end of everything.
  var end = Duration.seconds(15)

  /// When the files come, if nothing else is said.
  static let drop = Duration.seconds(2)
  init() { spool.isRecursive = true }

  var configuration: ConfigurationPlan {
    ConfigurationPlan(daemon: daemon, storages: [storage], backends: [backend], spools: [spool] + otherSpools)
  }

  mutating func add(
    _ number: Int, folder: String = "", kind: Drop.Kind = .single, manner: Drop.Manner = .renamedIn, size: Int = 3000,
    at time: Duration = RowMaker.drop, wish: Wish.Fate? = nil, _ change: (inout Drop) -> Void = { _ in }
  ) {
    var name = "file-\(number).bin"
    if case .group = kind { name = "run-\(number)" }
    var drop = Drop(
      number: number, spool: spool.directory, folder: folder, name: name, kind: kind, manner: manner, size: size)
    change(&drop)
    timeline.append(Moment(at: time, .drop(drop)))
    if let wish { wishes.append(Wish(name, wish)) }
  }

  mutating func add(_ action: Action, at time: Duration) { timeline.append(Moment(at: time, action)) }

  func row(_ name: String) -> CrashRow {
    let sides = Servers(
      [
        Server(host: storage.host, .storage(ModelStorage(.init(bucket: storage.bucket))), trouble: storageTrouble),
        Server(host: backend.host, .backend(ModelBackend()), trouble: backendTrouble),
      ], epoch: ScenarioMaker.epoch)
    var scenario = Scenario(
      seed: 1, configuration: configuration, servers: sides,
      timeline: timeline.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element),
      crashes: crashes, troubleEnd: end)
    scenario.wishes = wishes
    scenario.isElsewhere = isElsewhere
    return CrashRow(name: name, scenario: scenario)
  }
}

extension CrashRow {
  static func row(_ name: String, _ make: (inout RowMaker) -> Void) -> CrashRow {
    var maker = RowMaker()
    make(&maker)
    return maker.row(name)
  }

  /// The same row after a crash that the daemon had before, so that its start reaches certain points.
  func after(_ point: Failpoint, at points: [Failpoint]) -> CrashRow {
    var row = self
    row.name += " after \(point.rawValue)"
    row.scenario.crashes = [.at(point)]
    row.points = points
    return row
  }
}

extension Spell {
  /// A status as the only answer, without effect, for some time.
  static func only(_ status: Int, from: Duration = .zero, until: Duration, retryAfter: Condition.Wait = .absent)
    -> Spell
  {
    Spell(.answers(status: status, permille: 1000, retryAfter: retryAfter, actsPermille: 0), from: from, until: until)
  }

  /// A backend that refuses each job, and so has a person asked about it.
  static func refusal(until: Duration = .seconds(1_000_000)) -> Spell {
    Spell(.refusesJobs(status: 422, permille: 1000, salt: 0), from: .zero, until: until)
  }
}
