public import Linux
import Synchronization

/// Threads for the blocking calls on some files, with a way to stop waiting for them.
public final class FileThreads: Sendable {
  private let threads: WorkerThreads
  private let machine: Machine
  /// Nil if every call is waited for until it returns.
  private let callers: Callers?

  /// Threads that are also used for other work. Every call is waited for until it returns.
  public init(sharing threads: WorkerThreads, on machine: Machine = .system) {
    self.threads = threads
    self.machine = machine
    callers = nil
  }

  /// Threads for the files of a server that may not answer: see ``giveUp()``.
  public init(own threads: WorkerThreads, on machine: Machine) {
    self.threads = threads
    self.machine = machine
    callers = Callers()
  }

  /// Runs a blocking call on one of the threads and returns its value. Cancellation does not interrupt a call that has begun.
  ///
  /// - Parameter isLong: true if it needs milliseconds of work rather than microseconds, such as hashing a large file.
  /// - Throws: the errors of the call, and `CancellationError` after ``giveUp()``.
  public func run<T: Sendable>(isLong: Bool = false, _ body: @escaping @Sendable () throws -> T) async throws -> T {
    guard let callers else { return try await threads.run(isLong: isLong, body) }
    let result: Result<T, any Error> = await FirstAnswer.wait { caller in
      let number = callers.enter { caller.give(.failure(CancellationError())) }
      guard let number else { return caller.give(.failure(CancellationError())) }
      // This task is not awaited: the call may never return.
      Task(executorPreference: machine.tasks) { [threads] in
        let result: Result<T, any Error>
        do {
          result = .success(
            try await threads.run(isLong: isLong) {
              guard callers.begin(number) else { throw CancellationError() }
              defer { callers.end(number) }
              return try body()
            })
        } catch {
          result = .failure(error)
        }
        callers.withdraw(number)
        caller.give(result)
      }
    }
    return try result.get()
  }

  /// Starts a short blocking call on one of the threads and returns at once. Such a call is never given up, so these must not be threads
  /// for the files of a server that may not answer.
  public func start(_ body: @escaping @Sendable () -> Void) {
    precondition(callers == nil, "nobody waits for this call, so nobody can give it up")
    threads.start(body)
  }

  /// Lets all waiting callers continue, with `CancellationError`. A call that has begun keeps its thread until it returns; a call
  /// that has not begun is dropped. New calls fail until the last of the abandoned calls has returned.
  public func giveUp() { callers?.giveUp() }
}

/// The callers that wait for calls.
private final class Callers: Sendable {
  private struct Contents {
    var last = 0
    /// For each waiting caller, the function that tells it that the wait was given up.
    var waiting: [Int: @Sendable () -> Void] = [:]
    /// The calls that have begun and not returned.
    var begun: Set<Int> = []
    /// Those of them whose callers have given up.
    var abandoned: Set<Int> = []
  }

  private let contents = Mutex(Contents())

  /// Registers a caller and returns its number; nil while abandoned calls have not returned.
  func enter(_ giveUp: @escaping @Sendable () -> Void) -> Int? {
    contents.withLock { contents in
      guard contents.abandoned.isEmpty else { return nil }
      contents.last += 1
      contents.waiting[contents.last] = giveUp
      return contents.last
    }
  }

  /// Returns true if somebody still waits for the call, which then begins.
  func begin(_ number: Int) -> Bool {
    contents.withLock { contents in
      guard contents.waiting[number] != nil else { return false }
      contents.begun.insert(number)
      return true
    }
  }

  /// Records that a call has returned.
  func end(_ number: Int) {
    contents.withLock { contents in
      contents.begun.remove(number)
      contents.abandoned.remove(number)
    }
  }

  /// Removes a caller that has its answer or does not wait any more.
  func withdraw(_ number: Int) { contents.withLock { $0.waiting[number] = nil } }

  func giveUp() {
    let waiting = contents.withLock { contents in
      contents.abandoned = contents.begun
      return exchange(&contents.waiting, with: [:])
    }
    for tell in waiting.values { tell() }
  }
}
