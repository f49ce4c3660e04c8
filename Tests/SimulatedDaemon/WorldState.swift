import Simulation

/// A world between two lives of the daemon: all that outlives it besides its files.
struct WorldState: Codable, Sendable {
  var scenario: Scenario
  var life = 0
  var failedStarts = 0
  /// Microseconds of virtual time since the scenario began.
  var elapsed: Int64 = 0
  /// The wall clock at virtual time zero, as it would be by the present setting; microseconds since the Unix epoch.
  var wallOffset: Int64
  /// The number of moments of the timeline that have come.
  var moments = 0
  /// What is still to be done of what has begun: steps of drops, with their times in microseconds.
  var owed: [Owed] = []
  /// The servers, and what is on the way to them.
  var network: SimulatedNetwork.State
  var fileTimes = VirtualFileTimes.Table()
  var books: Books
  /// The slots of cards, by the directories that they are. Only ever looked up.
  var slots: [String: Slot] = [:]
  var writer: SpoolWriter
  var configuration: ConfigurationPlan
  /// What the ledger is to lose once the daemon has ended; nil for nothing.
  var loss: LedgerLoss?
  /// The time at which people last took a damaged ledger away, in microseconds.
  var toldAt: Int64 = 0
  /// The end of the first life. What the ledger had then, it has still after a loss of its log, or as an older copy.
  var firstEnd = Duration.zero
  /// True while the ledger's disk is full.
  var isDiskFull = false
  /// True once people have set the clock right.
  var isClockRight = false
  /// What has happened, in words; for whoever reads a failure.
  var history: [String] = []
  var violations: [String] = []
  /// The number of times that each of ``Reach/all`` was reached, and others like them. Only ever looked up.
  var reached: [String: Int] = [:]
  /// True if the last life was cut by a crash.
  var isCut = false
  var passes: [[String: Int]] = []
  /// The operations of the ledger's database in all lives.
  var operations: Int64 = 0
  /// The time of each file's first registration, by its name; known at the scenario's end.
  var registered: [String: Duration] = [:]

  struct Owed: Codable, Sendable {
    var at: Int64
    var step: FileStep
  }

  struct Slot: Codable, Sendable {
    /// The card in it; nil for none.
    var card: Card?
    /// The time since which it is there, in microseconds.
    var since: Int64
  }

  init(_ scenario: Scenario, root: String) {
    self.scenario = scenario
    wallOffset = scenario.epoch * 1_000_000
    network = SimulatedNetwork.State(sides: scenario.servers, numbers: scenario.numbers)
    configuration = scenario.configuration
    books = Books(scenario)
    writer = SpoolWriter(root: root)
  }

  /// Takes in a step of a drop, behind those of the same time.
  mutating func owe(_ step: Owed) {
    var (low, high) = (0, owed.count)
    while low < high {
      let middle = (low + high) / 2
      if owed[middle].at <= step.at { low = middle + 1 } else { high = middle }
    }
    owed.insert(step, at: low)
  }

  /// Leaves out what nobody needs at the scenario's end.
  mutating func leaveResultAlone() {
    for entry in network.sides.all.compactMap(\.backend).flatMap(\.registrations.entries) {
      registered[entry.value.document.name] = entry.value.at
    }
    scenario.timeline = []
    owed = []
    network.sides = Servers([], epoch: 0)
    network.arriving = []
    fileTimes = VirtualFileTimes.Table()
    books = Books(scenario)
  }

  mutating func reach(_ name: String) { reached[name, default: 0] += 1 }

  var seed: UInt64 { scenario.seed }
}
