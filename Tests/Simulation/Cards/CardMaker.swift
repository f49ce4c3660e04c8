import Linux
import Seams
import SeededNumbers

/// Makes scenarios of cards: a spool whose files stay where they are, and beside it one that takes its files away.
struct CardMaker {
  static let slot = "spools/card"
  static let beside = "spools/beside"
  /// The time for which each card is in the slot after the trouble. All that is on it must be done by then.
  static let turn = Duration.seconds(3 * 3600)
  private static let mostCards = 3

  let seed: UInt64
  let meetings: [CardMeeting]
  let end: Duration
  var numbers: SplitMix64
  private var timeline: [Moment] = []
  private var lastFile = 0
  private var files: [Int] = []
  private var cards: [Card] = [Card(1)]
  /// The card in the slot; nil for none.
  private var present: Card? = Card(1)

  init(seed: UInt64, meetings: [CardMeeting], end: Duration) {
    self.seed = seed
    self.meetings = meetings
    self.end = end
    numbers = SplitMix64(seed: seed ^ 0xCA2D)
  }

  mutating func scenario(_ changes: [CardChange]) -> Scenario {
    let span = end / max(1, changes.count)
    for (index, change) in changes.enumerated() { add(change, from: span * index, span) }
    // The storage is down until the card is out for the first time, so that there is something left to do.
    let firstOut = timeline.first { if case .insertCard = $0.action { true } else { false } }?.at ?? .zero
    let servers = servers(downUntil: firstOut + time(upTo: 100))
    for _ in 0..<3 { addMeetings() }
    if changes.last != .staysAway || meetings.isEmpty { addTurns() }
    var scenario = Scenario(
      seed: seed, epoch: ScenarioMaker.epoch, configuration: configuration, servers: servers,
      timeline: timeline.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element),
      troubleEnd: end)
    if meetings.contains(.crash) { scenario.crashes = crashes() }
    return scenario
  }

  /// A card goes, and what becomes of it comes, each once in a span.
  private mutating func add(_ change: CardChange, from begin: Duration, _ span: Duration) {
    if present == nil { put(numbers.pick(cards), at: begin) }
    for _ in 0..<int(1...4) { drop(into: Self.slot, at: begin + span * int(0...150) / 1000) }
    drop(into: Self.beside, at: begin + span * int(0...300) / 1000)
    let (out, back) = (begin + span * int(200...500) / 1000, begin + span * int(550...900) / 1000)
    let card = present ?? Card(1)
    // A mount point that nothing is mounted on is an empty directory.
    put(numbers.isOne(in: 500) ? Card(0, hasOwnDevice: true) : nil, at: out)
    drop(into: Self.beside, at: out + (back - out) / 2)
    drop(into: Self.beside, at: back + span * int(0...90) / 1000)
    switch change {
    case .staysAway: present = nil
    case .comesBack: put(card, at: back)
    case .isChanged:
      put(card, at: back)
      changeFiles(at: back)
    case .isReplaced:
      let others = cards.filter { $0 != card }
      if cards.count < Self.mostCards, others.isEmpty || numbers.isOne(in: 500) {
        cards.append(Card(cards.count + 1, hasOwnDevice: numbers.isOne(in: 500)))
        put(cards[cards.count - 1], at: back)
      } else {
        put(numbers.pick(others), at: back)
      }
      changeFiles(at: back)
    }
  }

  /// Replaces, touches and adds files. On another card, a file that is replaced is one of the same name.
  private mutating func changeFiles(at time: Duration) {
    for file in files {
      switch int(0...3) {
      case 0, 1: timeline.append(Moment(at: time, .replace(file: file, size: int(64...900))))
      case 2: timeline.append(Moment(at: time, .touch(file: file)))
      default: break
      }
    }
    drop(into: Self.slot, at: time)
  }

  private mutating func put(_ card: Card?, at time: Duration) {
    timeline.append(Moment(at: time, .insertCard(directory: Self.slot, card)))
    present = card?.number == 0 ? nil : card
  }

  private mutating func drop(into spool: String, at time: Duration) {
    lastFile += 1
    if spool == Self.slot { files.append(lastFile) }
    let manner: Drop.Manner = numbers.isOne(in: 500) ? .direct : .renamedIn
    timeline.append(
      Moment(
        at: time,
        .drop(
          Drop(number: lastFile, spool: spool, name: "file-\(lastFile).bin", manner: manner, size: int(64...900)))))
  }

  /// After the trouble each card has its turn, and the first one another.
  private mutating func addTurns() {
    for (index, card) in (cards + [cards[0]]).enumerated() { put(card, at: end + Self.turn * index) }
  }

  private var configuration: ConfigurationPlan {
    var card = SpoolPlan(name: "card", directory: Self.slot, storage: "s", backend: "b")
    card.keeps = true
    let beside = SpoolPlan(name: "beside", directory: Self.beside, storage: "s", backend: "b")
    var daemon = ConfigurationPlan.Daemon()
    if meetings.contains(.narrowAdmission) { daemon.admitAhead = Int(1 + seed % 3) }
    return ConfigurationPlan(
      daemon: daemon, storages: [.init(name: "s", host: "s.storage.example")],
      backends: [.init(name: "b", host: "b.backend.example")], spools: [card, beside])
  }

  private mutating func servers(downUntil first: Duration) -> Servers {
    let plan = configuration
    var storage = Trouble(latency: Latency(base: .milliseconds(int(1...2000))), end: end)
    var backend = Trouble(latency: Latency(base: .milliseconds(int(1...2000))), end: end)
    storage.spells = [outage(from: .zero, until: first)]
    if meetings.contains(.outage) {
      let from = time()
      let spell = outage(from: from, until: from + time(upTo: 300))
      if numbers.isOne(in: 500) { storage.spells.append(spell) } else { backend.spells.append(spell) }
    }
    if meetings.contains(.refusals) {
      backend.spells.append(
        Spell(.refusesJobs(status: 422, permille: 500, salt: int(0...1_000_000)), from: .zero, until: end))
    }
    return Servers(
      [
        Server(
          host: plan.storages[0].host, .storage(ModelStorage(.init(bucket: plan.storages[0].bucket))), trouble: storage),
        Server(host: plan.backends[0].host, .backend(ModelBackend()), trouble: backend),
      ], epoch: ScenarioMaker.epoch)
  }

  private mutating func outage(from: Duration, until: Duration) -> Spell {
    let condition: Condition =
      numbers.isOne(in: 500)
      ? .refusesConnections
      : .answers(status: numbers.pick([500, 503]), permille: 1000, retryAfter: .absent, actsPermille: 0)
    return Spell(condition, from: from, until: until)
  }

  private mutating func addMeetings() {
    for meeting in meetings {
      let at = time()
      func add(_ action: Action, after: Duration = .zero) { timeline.append(Moment(at: at + after, action)) }
      switch meeting {
      case .nothing, .crash, .narrowAdmission, .outage, .refusals: break
      case .pause, .intakePause:
        let target: Action.PauseTarget = meeting == .pause ? .spool("card") : .intake
        add(.pause(target))
        add(.resume(target), after: time(upTo: 300))
      case .restart: add(.restart)
      case .rename:
        var renamed = configuration
        renamed.spools[0].name = "camera"
        add(.configure(renamed))
        add(.configure(configuration), after: time(upTo: 300))
      case .lostLedger: add(.loseLedger(.whole))
      case .commands:
        for _ in 0..<3 {
          add(
            .command(numbers.pick([.confirm, .cancel, .cancelAndRemove, .retry, .discard]), .any(int(0...99))),
            after: time(upTo: 300))
        }
      case .days: add(.moveWallClock(by: .seconds(8 * 86_400)))
      }
    }
  }

  private mutating func crashes() -> [Crash] {
    (0..<int(1...4)).map { _ in
      let point = numbers.pick(ScenarioMaker.failpoints)
      let moment: Crash.Moment =
        numbers.isOne(in: 700) ? .failpoint(point.rawValue, pass: numbers.pick([1, 1, 2, 5])) : .after(time(upTo: 500))
      return Crash(moment, pause: time(upTo: 100))
    }
  }

  private mutating func int(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + numbers.index(below: range.count)
  }

  private mutating func time(upTo share: Int = 1000) -> Duration {
    .milliseconds(int(0...Int(end.components.seconds) * share))
  }
}
