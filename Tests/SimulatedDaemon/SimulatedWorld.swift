import Glibc
import HTTPTransfer
import Linux
import Seams
import SeededNumbers
import Simulation
import Synchronization

/// The operating system and the network of a simulated daemon: one thread, virtual time, and a seed that decides which of the things
/// that could happen next does.
///
/// Work takes no time, but a line (a thread of the daemon) is slow now and then, so that what others do comes in between.
final class SimulatedWorld: NetworkWorld {
  /// A choice in so many makes a line slow.
  private static let slowness = 24
  /// The longest time for which a line is slow, in microseconds.
  private static let longestPause: Int64 = 4000

  private struct Timer: Sendable {
    let line: WorldLine?
    let body: @Sendable () -> Void
  }

  private struct Contents {
    var ready = ReadyWork()
    var timers = Timers<Timer>()
    /// The timers that have not rung.
    var pending: Set<Int> = []
    var sources: [(line: WorldLine, sources: [WorldSource], body: @Sendable () -> Void)] = []
    /// The lines that were told of a descriptor that can be read, and have not come to it.
    var told: Set<WorldLine> = []
    var sleepers: [Int: Waiter<Void>] = [:]
    var lastSleeper = 0
    var chance: SplitMix64
    var order: SplitMix64
    /// Microseconds of virtual time since the scenario began.
    var elapsed: Int64
    /// The wall clock at virtual time zero, as it would be by the present setting.
    var wallOffset: Int64
    var lately: [String] = []
    /// Work done since the clock last went on.
    var stepsNow = 0
    var pace: WorkPace
  }

  private let contents: Mutex<Contents>
  /// The steady clock at virtual time zero: a daemon's steady clock starts out as the wall's time.
  private let steadyOffset: Int64
  private let base = ContinuousClock.now
  private let pool: PoolTasks
  let network: SimulatedNetwork

  init(_ state: WorldState) {
    steadyOffset = state.wallOffset
    contents = Mutex(
      Contents(
        chance: SplitMix64(seed: state.seed &+ UInt64(state.life) &* 2),
        order: SplitMix64(seed: state.seed &+ UInt64(state.life) &* 2 &+ 1),
        elapsed: state.elapsed, wallOffset: state.wallOffset,
        pace: WorkPace(from: state.elapsed, files: state.scenario.drops.count)))
    pool = PoolTasks()
    network = SimulatedNetwork(state.network)
    pool.connect(self)
    network.connect(self)
  }

  var elapsed: Int64 { contents.withLock(\.elapsed) }
  var wall: Int64 { contents.withLock { $0.elapsed + $0.wallOffset } }
  var steady: Int64 { elapsed + steadyOffset }
  var now: ContinuousClock.Instant { base + .microseconds(elapsed) }
  var tasks: any TaskExecutor { pool }

  func random() -> UInt64 { contents.withLock { $0.chance.next() } }

  func makeLine(_ name: String) -> WorldLine { WorldLine(contents.withLock { $0.ready.makeLine(name) }) }

  func run(in line: WorldLine?, _ body: @escaping @Sendable () -> Void) {
    contents.withLock { $0.ready.add(body, to: line?.number) }
  }

  func drain(_ line: WorldLine) {
    while true {
      let bodies = contents.withLock { $0.ready.takeAll(of: line.number) }
      if bodies.isEmpty { return }
      for body in bodies { body() }
    }
  }

  func run(in line: WorldLine?, after pause: Duration, _ body: @escaping @Sendable () -> Void) -> WorldTimer {
    contents.withLock { contents in
      let due = contents.elapsed + max(0, pause.microseconds)
      let number = contents.timers.add(Timer(line: line, body: body), at: due)
      contents.pending.insert(number)
      return WorldTimer(number)
    }
  }

  func stop(_ timer: WorldTimer) {
    contents.withLock { if $0.pending.remove(timer.number) != nil { $0.timers.stop(timer.number) } }
  }

  func watch(_ sources: [WorldSource], in line: WorldLine, _ body: (@Sendable () -> Void)?) {
    contents.withLock { contents in
      contents.sources.removeAll { $0.line == line }
      if let body, !sources.isEmpty { contents.sources.append((line, sources, body)) }
    }
  }

  func sleep(for pause: Duration) async throws {
    try Task.checkCancellation()
    let number = contents.withLock { contents in
      contents.lastSleeper += 1
      return contents.lastSleeper
    }
    await withTaskCancellationHandler {
      await Waiter.wait { waiter in
        contents.withLock { $0.sleepers[number] = waiter }
        if Task.isCancelled { return wake(number) }
        _ = run(in: nil, after: pause) { [self] in wake(number) }
      }
    } onCancel: {
      wake(number)
    }
    try Task.checkCancellation()
  }

  private func wake(_ sleeper: Int) {
    contents.withLock { $0.sleepers.removeValue(forKey: sleeper) }?.resume(returning: ())
  }

  func send(
    _ request: HTTPRequest, in line: WorldLine, _ end: @escaping @Sendable (Result<HTTPResponse, TransferError>) -> Void
  ) -> Int {
    let url = request.url.split(separator: "/", maxSplits: 2).last.map(String.init) ?? request.url
    contents.withLock { $0.pace.sent(request.method, url) }
    return network.send(request, in: line, end)
  }

  func cut(_ request: Int) -> Bool { network.cut(request) }

  /// Does one thing that can be done now; false if there is none.
  func step() -> Bool {
    let choice = contents.withLock { contents in
      contents.stepsNow += 1
      return contents.ready.take(slow: Self.slowness, using: &contents.order)
    }
    switch choice {
    case .run(let line, let body):
      contents.withLock { contents in
        contents.pace.worked()
        contents.lately.append(line)
        if contents.lately.count > 256 { contents.lately.removeFirst(128) }
      }
      body()
      return true
    case .hold(let line):
      let pause = contents.withLock { Int64.random(in: 0...Self.longestPause, using: &$0.order) }
      _ = run(in: nil, after: .microseconds(pause)) { [self] in contents.withLock { $0.ready.release(line) } }
      return true
    case nil: return lookAtSources()
    }
  }

  /// Has those called whose descriptors can be read; false if there are none.
  func lookAtSources() -> Bool {
    // A line that has been told and is slow is not told again.
    let sources = contents.withLock { contents in contents.sources.filter { !contents.told.contains($0.line) } }
    var descriptors = sources.flatMap(\.sources).map {
      pollfd(fd: $0.descriptor, events: Int16($0.isUrgent ? POLLPRI : POLLIN), revents: 0)
    }
    guard !descriptors.isEmpty, unsafe poll(&descriptors, nfds_t(descriptors.count), 0) > 0 else { return false }
    var index = 0
    var isAny = false
    for (line, wanted, body) in sources {
      let isReady = descriptors[index..<index + wanted.count].contains { $0.revents != 0 }
      index += wanted.count
      guard isReady else { continue }
      isAny = true
      contents.withLock { _ = $0.told.insert(line) }
      run(in: line) { [self] in
        contents.withLock { _ = $0.told.remove(line) }
        body()
      }
    }
    return isAny
  }

  /// True if nothing can be done before the clock goes on, by slow lines either.
  var isQuiet: Bool {
    contents.withLock { $0.ready.isEmpty && !$0.ready.isHeldBack && $0.timers.next ?? .max > $0.elapsed }
  }

  var stepsNow: Int { contents.withLock(\.stepsNow) }

  var lately: [String] { contents.withLock(\.lately) }

  /// Notes that something happens from outside, which is a reason for work.
  func noteEvent() { contents.withLock { $0.pace.happened() } }

  /// What was too much work for what happened, in words; asked each time the clock goes on.
  var excess: String? { contents.withLock { $0.pace.look(at: $0.elapsed) } }

  /// The most work that was done without a reason, and the most requests about one subject, in a span of this life.
  var worstPace: (work: Int, requests: Int) { contents.withLock(\.pace.worst) }

  var nextTimer: Int64? { contents.withLock { $0.timers.next } }

  /// Lets the clock go on to a time, and has due what is due by then.
  func advance(to time: Int64) {
    contents.withLock { contents in
      contents.elapsed = max(contents.elapsed, time)
      contents.stepsNow = 0
      while let (number, timer) = contents.timers.takeDue(at: contents.elapsed) {
        contents.pending.remove(number)
        contents.ready.add(timer.body, to: timer.line?.number)
      }
    }
  }

  func jump(by difference: Int64) { contents.withLock { $0.wallOffset += difference } }

  var wallOffset: Int64 { contents.withLock(\.wallOffset) }
}

/// The place of tasks that prefer no thread: each of their jobs may be the next one.
final class PoolTasks: TaskExecutor {
  private let world = Mutex<SimulatedWorld?>(nil)

  func connect(_ world: SimulatedWorld) { self.world.withLock { $0 = world } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    world.withLock(\.self)?.run(in: nil) { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

extension Duration {
  var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
