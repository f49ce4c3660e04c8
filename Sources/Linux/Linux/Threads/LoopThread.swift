import Glibc
import Seams
import Synchronization

/// A thread that runs a loop and, between its steps, the jobs of an actor. All executors of Waybill are threads of this kind.
///
/// In each round the loop calls ``runJobs(_:)``, then ``takeWake()`` if other threads call ``wake()``, and ``mayFallAsleep()`` before it
/// waits for ``bell`` and its own descriptors, then ``wokeUp(bellRang:)``. A job that blocks delays the loop. ``tasks`` is the same thread
/// for tasks that mostly wait for the actor: their continuations wake no other thread.
public final class LoopThread: SerialExecutor {
  /// Jobs taken from the queue. The loop keeps one such value, so that its storage and the queue's are swapped and reused.
  @safe public struct Jobs {
    fileprivate var list: [LoopJob] = []

    /// No jobs.
    public init() {}
  }

  /// One round of the loop without waiting, for a simulation. It is not a tuple, because a tuple would wrap the body again at
  /// each access.
  private struct Round {
    var body: (@Sendable () -> Void)?
    /// True while a round is scheduled.
    var isDue = false
  }

  private let name: String
  private let queue: LoopQueue
  private let identity = Atomic<UInt>(0)
  /// The simulation, and its line that replaces the thread; nil for a real thread.
  private let place: (world: any World, line: WorldLine)?
  private let round = Mutex(Round())

  /// The same thread as an executor for tasks.
  public let tasks: any TaskExecutor

  let machine: Machine

  /// Creates the queue; ``start(stackSize:round:_:)`` starts the thread. Throws ``FileError`` at the limits of descriptors.
  public init(_ name: String, on machine: Machine = .system) throws(FileError) {
    self.name = name
    self.machine = machine
    queue = try LoopQueue()
    place = machine.world.map { ($0, $0.makeLine(name)) }
    tasks = LoopTasks(queue: queue, place: place)
  }

  /// The descriptor that becomes readable when the thread must end its sleep.
  public var bell: Int32 { queue.bell.descriptor }

  // MARK: From any thread

  /// Starts the thread, which ends together with its loop. Throws ``FileError`` at the limit of threads.
  /// - Parameter round: one round of the loop without waiting. A simulation has no thread, and calls this after each ``wake()``.
  public func start(
    stackSize: Int = 1 << 20, round: @escaping @Sendable () -> Void,
    _ loop: @escaping @Sendable () -> Void
  ) throws(FileError) {
    guard place == nil else { return self.round.withLock { $0.body = round } }
    try Thread.start(name, stackSize: stackSize) { [self] in
      identity.store(UInt(pthread_self()), ordering: .relaxed)
      loop()
    }
  }

  /// Makes the loop do another round, in which ``takeWake()`` returns true.
  public func wake() {
    queue.update { $0.isWoken = true }
    // One scheduled round is enough for any number of calls.
    guard let place, !round.withLock({ exchange(&$0.isDue, with: true) }) else { return }
    place.world.run(in: place.line) { [self] in
      let body = round.withLock { round in
        round.isDue = false
        return round.body
      }
      body?()
    }
  }

  /// Ends the rounds in a simulation, and releases what the loop holds.
  func endRounds() { round.withLock { $0.body = nil } }

  /// In a simulation, waits for readable descriptors; `read` is called in the thread's line.
  func watch(_ sources: [WorldSource], _ read: (@Sendable () -> Void)?) {
    if let place { place.world.watch(sources, in: place.line, read) }
  }

  /// In a simulation, runs a body in the thread's line after a pause.
  func run(after pause: Duration, _ body: @escaping @Sendable () -> Void) -> WorldTimer? {
    place.map { $0.world.run(in: $0.line, after: pause, body) }
  }

  func stop(_ timer: WorldTimer) { place?.world.stop(timer) }

  /// Receives a job from the Swift runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let place else { return queue.update { $0.jobs.append(LoopJob(job: job, isTask: false)) } }
    place.world.run(in: place.line) { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// True if the caller is on the thread.
  public func isIsolatingCurrentContext() -> Bool? {
    // A simulation has only one thread.
    place != nil || identity.load(ordering: .relaxed) == UInt(pthread_self())
  }

  // MARK: On the thread itself

  /// The maximum number of jobs whose storage is kept for reuse.
  private static let mostKept = 1024

  /// Runs the queued jobs; returns false if there were none. `jobs` is empty before and after.
  public func runJobs(_ jobs: inout Jobs) -> Bool {
    queue.contents.withLock { swap(&jobs.list, &$0.jobs) }
    guard !jobs.list.isEmpty else { return false }
    defer { jobs.list.removeAll(keepingCapacity: jobs.list.count <= Self.mostKept) }
    // Access by index: an iterator would retain the storage, which could then not be reused.
    for index in jobs.list.indices {
      let work = jobs.list[index]
      // The pointers are used only during the call, and self lives longer than that.
      if work.isTask {
        unsafe work.job.runSynchronously(on: tasks.asUnownedTaskExecutor())
      } else {
        unsafe work.job.runSynchronously(on: asUnownedSerialExecutor())
      }
    }
    return true
  }

  /// Returns true if ``wake()`` was called since the last call of this method.
  public func takeWake() -> Bool {
    queue.contents.withLock { contents in
      defer { contents.isWoken = false }
      return contents.isWoken
    }
  }

  /// Announces the sleep: from then on, other threads ring the bell when there is work. Returns false if there is work already.
  public func mayFallAsleep() -> Bool {
    queue.contents.withLock { contents in
      contents.isAsleep = contents.jobs.isEmpty && !contents.isWoken
      return contents.isAsleep
    }
  }

  /// Records the end of the sleep, and silences the bell if it rang.
  public func wokeUp(bellRang: Bool) {
    queue.contents.withLock { $0.isAsleep = false }
    if bellRang { queue.bell.silence() }
  }

  /// Sleeps until the bell rings, without a time limit.
  public func sleep() {
    var source = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
    let count = unsafe poll(&source, 1, -1)
    wokeUp(bellRang: count > 0)
  }
}

/// A job, with true for one of a task that prefers the thread, and false for one of the actor.
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

  init() throws(FileError) { bell = try Doorbell() }

  /// Changes the queue. The bell rings only if the thread may be asleep.
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
