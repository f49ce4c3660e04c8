import Glibc

/// A few threads of our own for calls that block, so that the cooperative pool never does.
///
/// Work waits in order until a thread is free. Callers bound how much they hand over, since each awaits its result.
/// The threads end when the last reference goes and the work is done.
public final class WorkerThreads: Sendable {
  private let queue: WorkQueue

  /// Starts so many threads under a name that ps shows. Throws EAGAIN at the limit of threads.
  public init(count: Int, name: String) throws(FileError) {
    queue = WorkQueue()
    do throws(FileError) {
      for _ in 0..<max(1, count) {
        try Thread.start(name) { [queue] in
          while let work = queue.next() { work() }
        }
      }
    } catch {
      queue.close()
      throw error
    }
  }

  deinit { queue.close() }

  /// Runs a blocking call on one of the threads and gives what it gives. Cancelling does not cut a call that has begun.
  public func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.add { continuation.resume(with: Result { try body() }) }
    }
  }
}

/// Work in order, and the threads that wait for it.
private final class WorkQueue: Sendable {
  private struct Contents {
    var work: [@Sendable () -> Void] = []
    var head = 0
    var isClosed = false
    /// Threads that wait for work.
    var idle = 0
    /// Whether one of them was woken and has not come yet.
    var isOneComing = false

    var mustWake: Bool {
      mutating get {
        guard idle > 0, !isOneComing, head < work.count else { return false }
        isOneComing = true
        return true
      }
    }
  }

  private let contents = PlainLock(Contents())

  /// A thread that comes wakes the next one if it leaves work behind: waking costs more than most of the work does, and
  /// often one thread is through with all of it before another would have come.
  func add(_ work: @escaping @Sendable () -> Void) {
    let mustWake = contents.withLock { contents in
      contents.work.append(work)
      return contents.mustWake
    }
    if mustWake { contents.wakeOne() }
  }

  /// Waits for work; nil once the queue is closed and empty.
  func next() -> (@Sendable () -> Void)? {
    contents.withLock { $0.idle += 1 }
    let (work, mustWake) = contents.withLock(waitingUntil: { $0.head < $0.work.count || $0.isClosed }) { contents in
      contents.idle -= 1
      contents.isOneComing = false
      guard contents.head < contents.work.count else { return (nil as (@Sendable () -> Void)?, false) }
      let work = contents.work[contents.head]
      contents.head += 1
      if contents.head == contents.work.count || contents.head >= 1024 {
        contents.work.removeFirst(contents.head)
        contents.head = 0
      }
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
