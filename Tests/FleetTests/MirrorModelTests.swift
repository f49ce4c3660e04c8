import ChildProcesses
import ControlAPI
import Jobs
import MessageLiterals
import Messages
import Synchronization
import Testing

@testable import Fleet

/// A daemon's ledger in a few numbers: jobs that change with and without events, are forgotten, restored and restarted.
private final class ModelDaemon: MirrorSource, MirrorStore {
  /// What can happen between two steps of an agent.
  enum Happening: CaseIterable {
    case changeFirst, quietChange, admit, forget, restart, restore, restoreWithoutNumbers
  }

  fileprivate struct Ledger {
    var jobs: [Int64: Int64] = [1: 1, 2: 1]
    var nextJob: Int64 = 3
    var events: [Int64] = [1, 2]
    var last: Int64 = 2
  }

  struct State {
    fileprivate var ledger = Ledger()
    fileprivate var backup = Ledger()
    var generation: Int64 = 1
    var run = 1
    var changes: [Int64] = []
    var dropped = 0
    /// The fleet's tables.
    var position = MirrorPosition()
    var rows: [Int64: MirrorRow] = [:]
    var events: [Int64: [Int64]] = [:]
    var doubles = 0
    /// The number of writes until the agent dies; nil for never.
    var writesLeft: Int?
  }

  struct Died: Error {}

  /// So few are kept that a test goes beyond them.
  private static let eventsKept: Int64 = 3
  private static let changesKept = 3
  private static let pageOfJobs = 2

  let state = Mutex(State())

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

  private static func change(_ job: Int64, _ state: inout State, isQuiet: Bool) {
    guard let revision = state.ledger.jobs[job] else { return }
    state.ledger.jobs[job] = revision + 1
    note(job, &state)
    if isQuiet { return }
    state.ledger.last += 1
    state.ledger.events.append(state.ledger.last)
  }

  private static func note(_ job: Int64, _ state: inout State) {
    state.changes.append(job)
    if state.changes.count > changesKept {
      state.changes.removeFirst()
      state.dropped += 1
    }
  }

  func changes(_ query: ChangesQuery) async throws -> ChangesMessage {
    state.withLock { state in
      let end = state.dropped + state.changes.count
      let words = query.seen?.split(separator: "-").compactMap { Int($0) } ?? []
      let place = words.count == 2 && words[0] == state.run && words[1] >= state.dropped ? words[1] : nil
      let oldest = max(0, state.ledger.last - Self.eventsKept)
      let isReset = query.after > state.ledger.last || query.after < oldest
      let start = isReset ? oldest : query.after
      let changed = place.map { Set(state.changes[($0 - state.dropped)...]).sorted() } ?? []
      return ChangesMessage(
        ledger: LedgerIdentityMessage(uuid: "u", generation: state.generation), reset: isReset,
        events: state.ledger.events.filter { $0 > start }.map { Self.event($0) }, upTo: state.ledger.last,
        last: state.ledger.last, all: place == nil,
        jobs: changed.compactMap { number in
          state.ledger.jobs[number].map { Self.message(number, $0, state.generation) }
        },
        gone: changed.filter { state.ledger.jobs[$0] == nil }, seen: "\(state.run)-\(end)", more: false)
    }
  }

  func jobs(after number: Int64) async throws -> (jobs: [JobMessage], isLast: Bool) {
    state.withLock { state in
      let rest = state.ledger.jobs.keys.filter { $0 > number }.sorted()
      let page = rest.prefix(Self.pageOfJobs)
      return (
        page.map { Self.message($0, state.ledger.jobs[$0] ?? 0, state.generation) }, page.count == rest.count
      )
    }
  }

  func apply(_ batch: MirrorBatch) async throws {
    try state.withLock { state in
      if let left = state.writesLeft {
        guard left > 0 else { throw Died() }
        state.writesLeft = left - 1
      }
      guard state.position == batch.from else { throw MirrorMoved() }
      state.position = batch.to
      var events = state.events[batch.to.generation] ?? []
      if let after = batch.forgottenEventsAfter { events.removeAll { $0 > after } }
      for event in batch.events {
        if events.contains(event.sequence) { state.doubles += 1 }
        events.append(event.sequence)
      }
      state.events[batch.to.generation] = events
      for number in batch.gone { state.rows[number] = nil }
      if let whole = batch.whole { state.rows = state.rows.filter { !whole.contains($0.key) } }
      for row in batch.rows { state.rows[row.number] = row }
    }
  }

  /// The revision alone would not tell two lives of a ledger apart: the generation is in the size.
  static func message(_ number: Int64, _ revision: Int64, _ generation: Int64) -> JobMessage {
    let time = Timestamp(seconds: 1_795_222_923)
    let ticket = Ticket(
      id: JobID(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number)), spool: "s", name: FileName("a"),
      storage: "main", backend: "main", bucket: "b", key: "k", contentType: "t", metadata: [:], priority: 0,
      createdAt: time)
    var job = Job(
      number: JobNumber(rawValue: number), ticket: ticket,
      identity: FileIdentity(device: 1, inode: 2, size: generation, modified: 3, changed: 4))
    job.revision = revision
    return JobMessage(job, path: nil, heldBy: nil)
  }

  static func event(_ sequence: Int64) -> ChangesMessage.Event {
    ChangesMessage.Event(
      EventMessage(
        Occurrence(.gateOpened, of: .ledger, at: Timestamp(seconds: 1_795_222_923), message: "", reason: nil),
        sequence: sequence))
  }

  /// The differences between the fleet's tables and the ledger, in words.
  func faults() -> [String] {
    state.withLock { state in
      var faults: [String] = []
      let truth = Dictionary(
        uniqueKeysWithValues: state.ledger.jobs.map {
          ($0.key, MirrorRow(Self.message($0.key, $0.value, state.generation)))
        })
      if state.rows != truth { faults.append("rows \(state.rows.mapValues(\.revision)), not \(state.ledger.jobs)") }
      if state.doubles > 0 { faults.append("\(state.doubles) events twice") }
      for (generation, events) in state.events where events != events.sorted() || Set(events).count != events.count {
        faults.append("events of \(generation): \(events)")
      }
      let kept = state.ledger.events.filter { $0 > state.ledger.last - Self.eventsKept }
      let mirrored = Set(state.events.values.flatMap { $0 })
      if !kept.allSatisfy(mirrored.contains) { faults.append("events \(kept) not all in \(mirrored.sorted())") }
      return faults
    }
  }
}

extension EventMessage {
  fileprivate init(_ occurrence: Occurrence, sequence: Int64) {
    var occurrence = occurrence
    occurrence.sequence = sequence
    self.init(occurrence)
  }
}

/// Whatever happens to a ledger between, before and after the writes of an agent that dies at any of them: in the end the fleet's
/// tables are as the ledger.
@Suite struct MirrorModelTests {
  /// An agent that starts from what the tables say, and makes so many writes before it dies.
  private static func runAgent(_ daemon: ModelDaemon, writes: Int?) async throws {
    let position = daemon.state.withLock { state in
      state.writesLeft = writes
      return state.position
    }
    var mirror = Mirror(source: daemon, store: daemon, position: position)
    do {
      for _ in 0..<4 { if try await !mirror.step(wait: 0) { break } }
    } catch is ModelDaemon.Died {}
  }

  private static let happenings = ModelDaemon.Happening.allCases

  /// All orders of three happenings, with an agent after each that dies after none, one, two or all of its writes.
  @Test(arguments: happenings.indices) func everyOrderConverges(first: Int) async throws {
    let deaths: [Int?] = [0, 1, 2, nil]
    for second in Self.happenings {
      for third in Self.happenings {
        for one in deaths {
          for two in deaths {
            let daemon = ModelDaemon()
            try await Self.runAgent(daemon, writes: nil)
            daemon.happen(Self.happenings[first])
            try await Self.runAgent(daemon, writes: one)
            daemon.happen(second)
            try await Self.runAgent(daemon, writes: two)
            daemon.happen(third)
            try await Self.runAgent(daemon, writes: nil)
            let words = "\(Self.happenings[first]), dies after \(one ?? -1), \(second), after \(two ?? -1), \(third)"
            #expect(daemon.faults() == [], "\(words)")
          }
        }
      }
    }
  }

  /// Longer orders, at random: more than the daemon keeps happens between two agents.
  @Test(arguments: Seeds.many(0..<40)) func longRandomOrdersConverge(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let daemon = ModelDaemon()
    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        daemon.happen(Self.happenings.randomElement(using: &random) ?? .admit)
      }
      try await Self.runAgent(daemon, writes: [0, 1, 2, 3, nil].randomElement(using: &random) ?? nil)
    }
    try await Self.runAgent(daemon, writes: nil)
    #expect(daemon.faults() == [])
  }

  /// After a gap the copy says what it lacks: up to the first event that comes, or all if none does.
  @Test(arguments: [[], [1990], [1990, 1995]] as [[Int64]]) func gapIsTold(events: [Int64]) throws {
    func next(after applied: Int64, generation: Int64 = 1) -> [ChangesMessage.Event] {
      let answer = ChangesMessage(
        ledger: LedgerIdentityMessage(uuid: "u", generation: 1), reset: true, events: events.map(ModelDaemon.event),
        upTo: 2000, last: 2000, all: false, jobs: [], gone: [], seen: "t", more: false)
      let now = MessageTime(Timestamp(seconds: 1_800_000_000))
      return MirrorPlan.next(
        answer, MirrorPosition(generation: generation, applied: applied, seen: "s"), at: now
      ).batch.events
    }
    let told = next(after: 7)
    #expect(told.map(\.sequence) == [8] + events)
    let lost = try #require(told.first)
    #expect(lost.event == "events-lost" && lost.job == nil && lost.spool == nil)
    #expect(lost.message == "events 8 to \((events.first ?? 2001) - 1) were no longer kept by the daemon")
    #expect(lost.at.timestamp == Timestamp(seconds: events.isEmpty ? 1_800_000_000 : 1_795_222_923))
    // a copy that has nothing yet, one that is ahead, and one of an earlier life of the ledger lack nothing
    #expect(next(after: 0).map(\.sequence) == events)
    #expect(next(after: 3000).map(\.sequence) == events)
    #expect(next(after: 7, generation: 2).map(\.sequence) == events)
  }

  @Test func detectsSecondWriter() async throws {
    let daemon = ModelDaemon()
    var one = Mirror(source: daemon, store: daemon, position: MirrorPosition())
    var other = Mirror(source: daemon, store: daemon, position: MirrorPosition())
    _ = try await one.step(wait: 0)
    await #expect(throws: MirrorMoved.self) { _ = try await other.step(wait: 0) }
  }
}
