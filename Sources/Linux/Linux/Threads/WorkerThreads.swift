import Glibc
import Seams

/// A few threads for calls that block, so that the cooperative pool never blocks.
///
/// Work waits in order until a thread is free. One thread does no long work, so that short work never waits behind it. Long work
/// uses at most half as many threads as there are processors. The number of waiting pieces is limited by the callers: each
/// awaits its result, or counts what it started. The threads end when the last reference is released and the work is done.
public final class WorkerThreads: Sendable {
  private let queue: WorkQueue
  private let world: (any World)?

  /// Starts this number of threads under a name that ps shows. Throws ``FileError`` with EAGAIN at the limit of threads.
  public init(count: Int, name: String, on machine: Machine = .system) throws(FileError) {
    world = machine.world
    queue = WorkQueue(mostLong: max(1, min(count - 1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2)))
    guard world == nil else { return }
    do throws(FileError) {
      for _ in 0..<max(1, count) {
        try Thread.start(name) { [queue] in
          // A thread that waits keeps nothing of its last work: that may have a file open.
          var wasLong = false
          while let work = queue.next(afterLong: wasLong) {
            work.body()
            wasLong = work.isLong
          }
        }
      }
    } catch {
      queue.close()
      throw error
    }
  }

  deinit { queue.close() }

  /// Runs a blocking call on one of the threads and returns its value. Cancellation does not interrupt a call that has begun.
  /// - Parameter isLong: true if it needs milliseconds of work rather than microseconds, such as hashing a large file.
  public func run<T: Sendable>(
    isLong: Bool = false, _ body: @escaping @Sendable () throws -> T
  ) async throws -> T {
    let result: Result<T, any Error> = await Waiter.wait { caller in
      if let world { return world.run(in: nil) { caller.resume(returning: Result { try body() }) } }
      queue.add(WorkQueue.Work(isLong: isLong) { caller.resume(returning: Result { try body() }) })
    }
    return try result.get()
  }

  /// Starts a short blocking call on one of the threads and returns at once. Whoever starts calls bounds their number.
  public func start(_ body: @escaping @Sendable () -> Void) {
    if let world { return world.run(in: nil, body) }
    queue.add(WorkQueue.Work(isLong: false, body: body))
  }
}

private final class WorkQueue: Sendable {
  struct Work: Sendable {
    let isLong: Bool
    let body: @Sendable () -> Void
  }

  /// First in, first out.
  private struct Line {
    private var work: [Work] = []
    private var head = 0

    var isEmpty: Bool { head == work.count }

    mutating func add(_ new: Work) { work.append(new) }

    mutating func takeFirst() -> Work {
      let first = work[head]
      head += 1
      if head == work.count || head >= 1024 {
        work.removeFirst(head)
        head = 0
      }
      return first
    }
  }

  private struct Contents {
    let mostLong: Int
    var short = Line()
    var long = Line()
    var longRunning = 0
    var isClosed = false
    var idle = 0
    /// True if one of them was woken and has not arrived yet.
    var isOneComing = false

    var hasWork: Bool { !short.isEmpty || (!long.isEmpty && longRunning < mostLong) }

    var mustWake: Bool {
      mutating get {
        guard idle > 0, !isOneComing, hasWork else { return false }
        isOneComing = true
        return true
      }
    }

    mutating func takeFirst() -> Work {
      guard short.isEmpty else { return short.takeFirst() }
      longRunning += 1
      return long.takeFirst()
    }
  }

  private let contents: ConditionLock<Contents>

  /// - Parameter mostLong: the maximum number of threads that do long work.
  init(mostLong: Int) { contents = ConditionLock(Contents(mostLong: mostLong)) }

  /// Queues work. A thread wakes another one only if it leaves work behind: waking costs more than most of the work, and often
  /// one thread finishes everything before another one would have arrived.
  func add(_ work: Work) {
    let mustWake = contents.withLock { contents in
      if work.isLong { contents.long.add(work) } else { contents.short.add(work) }
      return contents.mustWake
    }
    if mustWake { contents.wakeOne() }
  }

  /// Waits for work; returns nil once the queue is closed and has none for this thread.
  func next(afterLong wasLong: Bool) -> Work? {
    contents.withLock { contents in
      contents.idle += 1
      if wasLong { contents.longRunning -= 1 }
    }
    let (work, mustWake) = contents.wait { contents -> (Work?, Bool)? in
      guard contents.hasWork || contents.isClosed else { return nil }
      contents.idle -= 1
      contents.isOneComing = false
      guard contents.hasWork else { return (nil, false) }
      let work = contents.takeFirst()
      return (work, contents.mustWake)
    }
    if mustWake { contents.wakeOne() }
    return work
  }

  func close() {
    contents.withLock { $0.isClosed = true }
    contents.wakeAll()
  }
}
