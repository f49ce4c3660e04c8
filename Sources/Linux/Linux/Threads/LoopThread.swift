import Glibc
import Synchronization

/// A thread that runs a loop and, between its steps, the jobs of an actor: the one executor of the program's own.
///
/// The loop belongs to whoever starts it: ``PollThread`` waits in poll(2), the transfer thread in libcurl. Each round it calls
/// ``runJobs(_:)``, then ``takeWake()`` to see whether another thread has left word for it, and ``mayFallAsleep()`` before it
/// waits for ``bell`` and its own descriptors. After that it calls ``wokeUp(bellRang:)``.
///
/// ``tasks`` is the same thread for tasks that mostly wait for the actor: a continuation that is resumed goes on here, and no
/// other thread has to be woken. A job that blocks holds up the loop.
public final class LoopThread: SerialExecutor {
  /// Jobs on their way to the thread. The loop keeps one, so that its storage and the queue's take turns.
  @safe public struct Jobs {
    fileprivate var list: [LoopJob] = []

    /// No jobs.
    public init() {}
  }

  /// A round of the loop that does not wait; for a simulation. A tuple would wrap the body anew at each access.
  private struct Round {
    var body: (@Sendable () -> Void)?
    /// True while one is on its way.
    var isDue = false
  }

  private let name: String
  private let queue: LoopQueue
  private let identity = Atomic<UInt>(0)
  /// The line that stands in for the thread in a simulation.
  private let place: (world: any World, line: WorldLine)?
  private let round = Mutex(Round())

  /// The same thread as a place for tasks.
  public let tasks: any TaskExecutor

  /// The machine that the thread is on.
  public let machine: Machine

  /// Makes the queue; the thread runs from ``start(stackSize:round:_:)`` on; `name` is what ps shows. Throws ``ThreadError`` for want of descriptors.
  public init(_ name: String, on machine: Machine = .system) throws(ThreadError) {
    self.name = name
    self.machine = machine
    queue = try LoopQueue()
    place = machine.world.map { ($0, $0.makeLine(name)) }
    tasks = LoopTasks(queue: queue, place: place)
  }

  /// The descriptor that ends the thread's sleep when it can be read.
  public var bell: Int32 { queue.bell.descriptor }

  // MARK: From any thread

  /// Starts the thread, which ends with its loop. Throws ``ThreadError`` at the limit of threads.
  ///
  /// - Parameter round: one round of the loop that does not wait. A simulation has no thread, and calls this after each
  ///   ``wake()``.
  public func start(
    stackSize: Int = 1 << 20, round: @escaping @Sendable () -> Void,
    _ loop: @escaping @Sendable () -> Void
  ) throws(ThreadError) {
    guard place == nil else { return self.round.withLock { $0.body = round } }
    try Thread.start(name, stackSize: stackSize) { [self] in
      identity.store(UInt(pthread_self()), ordering: .relaxed)
      loop()
    }
  }

  /// Has the loop come round, and ``takeWake()`` answer true.
  public func wake() {
    queue.update { $0.isWoken = true }
    // One bell is enough, however often it rings.
    guard let place, !round.withLock({ exchange(&$0.isDue, with: true) }) else { return }
    place.world.run(in: place.line) { [self] in
      let body = round.withLock { round in
        round.isDue = false
        return round.body
      }
      body?()
    }
  }

  /// Ends the rounds in a simulation: what the loop holds can go.
  func endRounds() { round.withLock { $0.body = nil } }

  /// Waits in a simulation for descriptors that can be read; `read` is called in the thread's line.
  func watch(_ sources: [WorldSource], _ read: (@Sendable () -> Void)?) {
    if let place { place.world.watch(sources, in: place.line, read) }
  }

  /// Has a body run in the thread's line after a pause, in a simulation.
  func run(after pause: Duration, _ body: @escaping @Sendable () -> Void) -> WorldTimer? {
    place.map { $0.world.run(in: $0.line, after: pause, body) }
  }

  /// Stops a timer of ``run(after:_:)``.
  func stop(_ timer: WorldTimer) { place?.world.stop(timer) }

  /// Takes a job from the Swift runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let place else { return queue.update { $0.jobs.append(LoopJob(job: job, isTask: false)) } }
    place.world.run(in: place.line) { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// True when the caller is on the thread.
  public func isIsolatingCurrentContext() -> Bool? {
    // In a simulation there is but one thread.
    place != nil || identity.load(ordering: .relaxed) == UInt(pthread_self())
  }

  /// Stops the program if the caller is not on the thread.
  public func checkIsolated() {
    precondition(isIsolatingCurrentContext() == true, "not on the thread of this executor")
  }

  // MARK: On the thread itself

  /// The number of jobs up to which their storage is kept.
  private static let mostKept = 1024

  /// Runs the jobs that are there; false if there were none. `jobs` is empty before and after.
  public func runJobs(_ jobs: inout Jobs) -> Bool {
    queue.contents.withLock { swap(&jobs.list, &$0.jobs) }
    guard !jobs.list.isEmpty else { return false }
    defer { jobs.list.removeAll(keepingCapacity: jobs.list.count <= Self.mostKept) }
    // By their places: an iterator would hold the storage, which could then not be kept.
    for index in jobs.list.indices {
      let work = jobs.list[index]
      // The pointers are used only during the call, and self lives that long.
      if work.isTask {
        unsafe work.job.runSynchronously(on: tasks.asUnownedTaskExecutor())
      } else {
        unsafe work.job.runSynchronously(on: asUnownedSerialExecutor())
      }
    }
    return true
  }

  /// True when ``wake()`` was called since this was last asked.
  public func takeWake() -> Bool {
    queue.contents.withLock { contents in
      defer { contents.isWoken = false }
      return contents.isWoken
    }
  }

  /// Announces the sleep: whoever has something for the thread rings the bell from now on. False if something is there already.
  public func mayFallAsleep() -> Bool {
    queue.contents.withLock { contents in
      contents.isAsleep = contents.jobs.isEmpty && !contents.isWoken
      return contents.isAsleep
    }
  }

  /// Ends the sleep, and silences the bell if it was heard.
  public func wokeUp(bellRang: Bool) {
    queue.contents.withLock { $0.isAsleep = false }
    if bellRang { queue.bell.silence() }
  }

  /// Sleeps without a limit until the bell rings.
  public func sleep() {
    var source = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
    let count = unsafe poll(&source, 1, -1)
    wokeUp(bellRang: count > 0)
  }
}

/// A job, and whether it belongs to a task that prefers the thread rather than to the actor.
private struct LoopJob {
  let job: UnownedJob
  let isTask: Bool
}

/// The jobs and the bell of a ``LoopThread``.
private final class LoopQueue: Sendable {
  struct Contents {
    var jobs: [LoopJob] = []
    var isWoken = false
    var isAsleep = false
  }

  let contents = Mutex(Contents())
  let bell: Doorbell

  init() throws(ThreadError) { bell = try Doorbell() }

  /// Changes what waits for the thread. The bell rings only if the thread may be asleep.
  func update(_ change: (inout Contents) -> Void) {
    let mustRing = contents.withLock { contents in
      change(&contents)
      defer { contents.isAsleep = false }
      return contents.isAsleep
    }
    if mustRing { bell.ring() }
  }
}

/// Runs tasks on a ``LoopThread``.
private final class LoopTasks: TaskExecutor {
  private let queue: LoopQueue
  private let place: (world: any World, line: WorldLine)?

  init(queue: LoopQueue, place: (world: any World, line: WorldLine)?) {
    self.queue = queue
    self.place = place
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let place else { return queue.update { $0.jobs.append(LoopJob(job: job, isTask: true)) } }
    place.world.run(in: place.line) { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
