import ControlAPI
import ControlServer
import Daemon
import Delivery
import Glibc
import Jobs
import Ledger
import Linux
import Seams
import Simulation
import Synchronization
import SystemdLink

/// One life of the daemon in its world, in a process of its own: from its start to a crash, a stop, or the end of the scenario.
///
/// A crash is the end of the process: the kernel closes files and gives back locks. What outlives it goes into a file.
final class Life: Sendable {
  /// How a life ends, as the exit status of its process.
  enum End: Int32 {
    case over = 0
    /// The daemon has ended or died; another life follows.
    case again = 10
    case violated = 11
  }

  /// The pieces of work for each moment of the timeline, and in a second of rest. A daemon that does more does it for ever.
  private static let mostStepsForAMoment = 1000
  private static let mostStepsInASecond: Int64 = 20
  /// The virtual time in which all has to be done once all trouble is over, in microseconds.
  private static let longestAfterTrouble: Int64 = 12 * 3600 * 1_000_000
  /// The shortest and the longest time between two looks of people after the trouble, in microseconds.
  private static let looks: (first: Int64, longest: Int64) = (10 * 1_000_000, 1800 * 1_000_000)
  /// The time of the processor that a life may take, in seconds.
  private static let patience = 60
  struct Contents {
    var state: WorldState
    var daemon: RunningDaemon?
    var end: DaemonEnd?
    /// The gates that waited for a key when the right one was put into its file, with that time in microseconds.
    var newKeys: [Destination: (gate: Gate, since: Int64)] = [:]
    var nextLook: Int64 = 0
    var isRepaired = false
    var pause = Life.looks.first
  }

  enum DaemonEnd: Sendable {
    case stopped
    case failed(String, Int32)
  }

  let root: String
  let handover: String
  let world: SimulatedWorld
  private let machine: Machine
  let times: VirtualFileTimes
  let contents: Mutex<Contents>
  let longestWait: Duration
  let began: Int64
  private let calls = WatchedCalls()
  let operations = LedgerWork()
  let passes = Mutex<[String: Int]>([:])
  private let (signals, signal) = AsyncStream.makeStream(of: Int32.self)
  let operators: Operators
  let looks = StandstillLooks()
  /// The rows of jobs and cleanups as they were last looked at.
  let rows = StandstillTable()
  private let extreme: Extreme?

  init(_ state: WorldState, root: String, handover: String, extreme: Extreme? = nil) {
    self.root = root
    self.handover = handover
    began = state.elapsed
    times = VirtualFileTimes(state.fileTimes)
    world = SimulatedWorld(state)
    machine = Machine(in: world)
    contents = Mutex(Contents(state: state))
    longestWait = state.scenario.longestWait
    operators = Operators()
    self.extreme = extreme
    world.network.alter { extreme?.altered($0) ?? $0 }
  }

  /// Lives until the end, which ends the process. A trial returns once all is done, and leaves the daemon as it is.
  func run(isTrial: Bool = false) {
    FileTimes.translate { [times, world] in times.translate($0, now: world.wall * 1000) }
    if let extreme {
      extreme.begin()
      if case .fact = extreme.number { FileTimes.translate { $0 } }
      if extreme.number == .wallClock { world.jump(by: extreme.value * 1_000_000 - world.wall) }
    }
    Failpoint.observe { [self] point in passes.withLock { $0[point.rawValue, default: 0] += 1 } }
    operations.begin()
    let (scenario, isDiskFull) = contents.withLock { ($0.state.scenario, $0.state.isDiskFull) }
    let mayBeFull = scenario.timeline.contains { $0.action == .fillDisk(true) }
    FullDisk.watch("\(root)/\(scenario.fullFolder)", if: mayBeFull)
    FullDisk.set(isDiskFull)
    planCrash()
    operators.connect(self)
    // The daemon has no part in what came while it was down.
    _ = perform(until: world.elapsed)
    Task(executorPreference: world.tasks) { await self.runDaemon() }
    let mostSteps = Int64(50_000 + Self.mostStepsForAMoment * contents.withLock(\.state.scenario.timeline.count))
    var steps: Int64 = 0
    while true {
      if clock() / 1_000_000 > Self.patience {
        violate("it takes too long: \(world.lately.suffix(30).joined(separator: " "))")
      }
      while calls.watch({ [world] in world.step() }) {
        steps += 1
        let most = mostSteps + (world.elapsed - began) / 1_000_000 * Self.mostStepsInASecond
        if world.stepsNow > mostSteps || steps > most {
          violate("it does too much, \(steps) things by now: \(world.lately.suffix(60).joined(separator: " "))")
        }
      }
      lookAtEnd()
      let now = world.elapsed
      if perform(until: now) { continue }
      let isEnd = isOver(now)
      lookAtStandstills(isLast: isEnd || isBeforeCrash(now))
      if isEnd {
        if isTrial { return tryOutEnd() }
        finish(.over)
      }
      world.advance(to: nextTime(after: now))
      if mayBeFull, let fault = daemon?.faults.first { violate("it is ended by its watchdog: \(fault)") }
      if let excess = world.excess { violate("\(excess): \(world.lately.suffix(30).joined(separator: ", "))") }
    }
  }

  var daemon: RunningDaemon? { contents.withLock(\.daemon) }
  var state: WorldState { contents.withLock(\.state) }

  private func runDaemon() async {
    do {
      let journal = JournalWriter(collecting: { [self] entries in
        for entry in entries {
          note("journal: \(entry.message)")
          if entry.message.contains("Disk quota exceeded") { reach(Reach.Place.fullSpool.rawValue) }
        }
      })
      let daemon = try RunningDaemon.build(
        configuration: root + "/waybill.toml", on: machine, journal: journal, passed: [],
        types: MediaTypes())
      contents.withLock { $0.daemon = daemon }
      try await daemon.run(signals)
      contents.withLock { $0.end = .stopped }
    } catch {
      let end = DaemonError(error)
      contents.withLock { $0.end = .failed(end.words, end.exit.rawValue) }
    }
  }

  /// True if nothing comes between now and the time at which this life is cut.
  private func isBeforeCrash(_ now: Int64) -> Bool {
    let crash = contents.withLock { contents in
      let (crashes, life) = (contents.state.scenario.crashes, contents.state.life)
      return life < crashes.count ? crashes[life].moment : nil
    }
    guard case .after(let time)? = crash else { return false }
    return nextTime(after: now) >= began + time.microseconds
  }

  private func planCrash() {
    let state = contents.withLock(\.state)
    guard state.life < state.scenario.crashes.count else { return }
    let crash = state.scenario.crashes[state.life]
    let die: @Sendable () -> Never = { [self] in
      note("crash")
      contents.withLock { $0.state.isCut = true }
      world.advance(to: world.elapsed + crash.pause.microseconds)
      finish(.again)
    }
    switch crash.moment {
    case .failpoint(let name, let pass):
      Failpoint(rawValue: name)?.end(atPass: pass) {
        self.note("at \(name), pass \(pass)")
        die()
      }
    case .after(let time): _ = world.run(in: nil, after: time) { die() }
    }
  }

  /// Does what the scenario has for this time; false if there is nothing.
  private func perform(until now: Int64) -> Bool {
    var isAny = false
    while let step = contents.withLock({ contents -> FileStep? in
      guard let first = contents.state.owed.first, first.at <= now else { return nil }
      contents.state.owed.removeFirst()
      return first.step
    }) {
      isAny = true
      perform(step, now)
    }
    while let moment = contents.withLock({ contents -> Moment? in
      let timeline = contents.state.scenario.timeline
      guard contents.state.moments < timeline.count, timeline[contents.state.moments].at.microseconds <= now else {
        return nil
      }
      contents.state.moments += 1
      return timeline[contents.state.moments - 1]
    }) {
      isAny = true
      perform(moment.action, now)
    }
    let isTime = contents.withLock { contents in
      guard now >= contents.state.scenario.troubleEnd.microseconds, now >= contents.nextLook, contents.daemon != nil
      else {
        return false
      }
      contents.nextLook = now + contents.pause
      contents.pause = min(contents.pause * 3 / 2, Self.looks.longest)
      return true
    }
    if isTime {
      repair()
      operators.settle()
      isAny = true
    }
    return isAny
  }

  /// Sets right what the scenario has left wrong, once in each life after the trouble: the daemon may have died before it was done.
  private func repair() {
    let (state, isDone) = contents.withLock { contents in
      // The first time may come before a start has paused what needs a person.
      (contents.state, exchange(&contents.isRepaired, with: operators.isIdle && world.elapsed > began + 1_000_000))
    }
    guard !isDone, operators.isIdle else { return }
    for action in state.scenario.repairs {
      switch action {
      case .moveWallClock where state.isClockRight: break
      case .configure(let plan) where plan == state.configuration: break
      default: perform(action, world.elapsed)
      }
    }
    contents.withLock { $0.state.isClockRight = true }
  }

  private func perform(_ step: FileStep, _ now: Int64) {
    world.noteEvent()
    change { state in try state.writer.perform(step, &state.books, at: .microseconds(now)) }
    switch step {
    case .open(let path, _, _), .write(let path, _, _), .writeSidecar(let path, _), .makeFolder(let path):
      noteChange(path, isModified: true)
    case .close(let path), .rename(_, let path), .link(_, let path): noteChange(path, isModified: false)
    case .finish: break
    }
  }

  /// Changes the world; what cannot be done now, since something is gone, is left.
  func change(_ body: (inout WorldState) throws -> Void) {
    contents.withLock { contents in
      do {
        try body(&contents.state)
      } catch {
        contents.state.history.append("  not done: \(error)")
      }
    }
  }

  /// Changes a file; the body returns the name by which it was done.
  private func changeFile(isModified: Bool, _ body: (inout WorldState) throws -> String?) {
    var path: String?
    change { path = try body(&$0) }
    if let path { noteChange(path, isModified: isModified) }
  }

  /// Gives a file that was changed just now the present time.
  private func noteChange(_ path: String, isModified: Bool) {
    putOnCard(path)
    guard let facts = try? FileFacts(following: "\(root)/\(path)") else { return }
    times.noteChange(device: facts.device, inode: facts.inode, isModified: isModified, now: world.wall * 1000)
  }

  private func perform(_ action: Action, _ now: Int64) {
    note("\(action)")
    world.noteEvent()
    switch action {
    case .drop(let drop):
      contents.withLock { contents in
        for step in drop.steps {
          contents.state.owe(.init(at: now + step.after.microseconds, step: step.step))
        }
      }
    case .append(let file, let size):
      changeFile(isModified: true) { try $0.writer.append(to: file, size: size, &$0.books, at: .microseconds(now)) }
    case .rewrite(let file):
      changeFile(isModified: true) { try $0.writer.rewrite(file, &$0.books, at: .microseconds(now)) }
    case .addMember(let group, let size):
      change { _ = try $0.writer.addMember(to: group, size: size, &$0.books, at: .microseconds(now)) }
    case .replace(let file, let size):
      changeFile(isModified: true) { try $0.writer.replace(file, size: size, &$0.books, at: .microseconds(now)) }
    case .touch(let file):
      changeFile(isModified: true) { try $0.writer.touch(file, seconds: world.wall / 1_000_000, &$0.books) }
    case .changeMode(let file):
      changeFile(isModified: false) { try $0.writer.changeMode(file, $0.books) }
    case .moveWallClock(let difference): world.jump(by: difference.microseconds)
    case .changeNetwork: daemon?.pipeline.networkChanged()
    case .moveSpool(let directory, let isAway):
      change { try $0.writer.moveSpool(directory, isAway: isAway) }
    case .insertCard(let directory, let card): insert(card, into: directory, now)
    case .loseLedger(let loss):
      contents.withLock { $0.state.loss = loss }
      if loss == .log { finish(.again) }
      if daemon != nil { signal.yield(SIGTERM) }
    case .changeKeyFile(let host, let key):
      noteNewKey(key, of: host)
      change { try $0.writer.writeKey(key, to: ConfigurationPlan.keyFile(of: host)) }
    case .changeKeyAtServer(let host, let key): world.network.withSides { $0.setKey(key, at: host) }
    case .configure(let plan):
      contents.withLock { $0.state.configuration = plan }
      WorldFiles.write(plan, root: root)
      operators.reload()
    case .restart: if daemon != nil { signal.yield(SIGTERM) }
    case .failCalls(let plan): calls.fail(by: plan)
    case .fillDisk(let isFull):
      contents.withLock { $0.state.isDiskFull = isFull }
      FullDisk.set(isFull)
    case .command, .commandAll, .pause, .resume: operators.perform(action)
    }
  }

  private func nextTime(after now: Int64) -> Int64 {
    let (owed, moment, look) = contents.withLock { contents -> (Int64?, Int64?, Int64?) in
      let timeline = contents.state.scenario.timeline
      let next = contents.state.moments < timeline.count ? timeline[contents.state.moments].at.microseconds : nil
      return (
        contents.state.owed.first?.at, next, max(contents.nextLook, contents.state.scenario.troubleEnd.microseconds)
      )
    }
    return max(now + 1, [world.nextTimer, owed, moment, look].compactMap(\.self).min() ?? now + 1_000_000)
  }

  /// True once all trouble is over and all is done; violated if it takes too long.
  private func isOver(_ now: Int64) -> Bool {
    let state = contents.withLock(\.state)
    let last = state.scenario.timeline.last?.at ?? .zero
    let end = max(state.scenario.troubleEnd.microseconds, state.toldAt)
    // A file in place that has bytes of another shows nowhere that the daemon has yet to see it.
    guard now > max(end, (last + .seconds(60)).microseconds), state.owed.isEmpty,
      state.moments == state.scenario.timeline.count, operators.isIdle, operators.takeLook()
    else { return false }
    if !world.network.isHeard { return false }
    if now <= end + Self.longestAfterTrouble, operators.isJobOpen { return false }
    let facts = facts
    let unfinished =
      state.books.unfinished(facts, sides, state.configuration)
      + state.books.unmet(state.scenario.wishes, facts, sides) + state.books.leftovers(facts, sides)
    if unfinished.isEmpty { return true }
    if now > end + Self.longestAfterTrouble {
      violate(
        "not done \(Self.longestAfterTrouble / 3_600_000_000) h after all trouble: \(unfinished.joined(separator: "; "))"
      )
    }
    return false
  }

  var sides: Servers { world.network.withSides { $0 } }

  var facts: WorldFacts {
    do {
      return try WorldFacts(root: root, jobs: operators.jobs, told: operators.told)
    } catch {
      violate("the files cannot be read: \(error)")
    }
  }

  /// Runs something of the daemon's in the world; false if there is no daemon now.
  func start(_ body: @escaping @Sendable (RunningDaemon) async -> Void) -> Bool {
    guard let daemon else { return false }
    world.noteEvent()
    Task(executorPreference: world.tasks) { await body(daemon) }
    return true
  }

  func name(ofFile number: Int) -> String? {
    contents.withLock { $0.state.scenario.drops.first { $0.number == number }?.name }
  }

  /// The end that people want for a file; nil if it is to be registered.
  func wish(forName name: String) -> Wish? {
    contents.withLock { $0.state.scenario.wishes.first { $0.name == name } }
  }

  func withBooks(_ body: (inout Books) -> Void) { contents.withLock { body(&$0.state.books) } }

  var elapsed: Duration { .microseconds(world.elapsed) }
}
