public import Linux
import Synchronization

/// The threads that make the blocking calls on some files, and a way not to wait for them any longer.
public final class FileThreads: Sendable {
  private let threads: WorkerThreads
  private let machine: Machine
  /// Nil where all calls are waited for.
  private let callers: Callers?

  /// Threads that others use too. Their calls are waited for.
  public init(sharing threads: WorkerThreads, on machine: Machine = .system) {
    self.threads = threads
    self.machine = machine
    callers = nil
  }

  /// Threads for files of a server that may not answer: see ``giveUp()``.
  public init(own threads: WorkerThreads, on machine: Machine) {
    self.threads = threads
    self.machine = machine
    callers = Callers()
  }

  /// Runs a blocking call on one of the threads and returns its value. Cancelling does not cut a call that has begun.
  ///
  /// - Parameter isLong: whether it takes milliseconds of work rather than microseconds, such as hashing a large file.
  /// - Throws: what the call throws, and `CancellationError` where it was given up.
  public func run<T: Sendable>(isLong: Bool = false, _ body: @escaping @Sendable () throws -> T) async throws -> T {
    guard let callers else { return try await threads.run(isLong: isLong, body) }
    let result: Result<T, any Error> = await FirstAnswer.wait { caller in
      let number = callers.enter { caller.give(.failure(CancellationError())) }
      guard let number else { return caller.give(.failure(CancellationError())) }
      // It is not awaited here: it may never end.
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

  /// Has all who wait go on without an answer. A call that has begun goes on behind them, and has its thread until it returns; one
  /// that has not is never made. Until the last of those calls has returned, no other is made either.
  public func giveUp() { callers?.giveUp() }
}

/// Those who wait for calls.
private final class Callers: Sendable {
  private struct Contents {
    var last = 0
    /// Those who wait, and what tells them that nobody waits for the call any more.
    var waiting: [Int: @Sendable () -> Void] = [:]
    /// The calls that have begun and not returned.
    var begun: Set<Int> = []
    /// Those among them that nobody waits for.
    var abandoned: Set<Int> = []
  }

  private let contents = Mutex(Contents())

  /// Returns the number of one more; nil while calls that were given up have not returned.
  func enter(_ giveUp: @escaping @Sendable () -> Void) -> Int? {
    contents.withLock { contents in
      guard contents.abandoned.isEmpty else { return nil }
      contents.last += 1
      contents.waiting[contents.last] = giveUp
      return contents.last
    }
  }

  /// Returns true if somebody waits for the call.
  func begin(_ number: Int) -> Bool {
    contents.withLock { contents in
      guard contents.waiting[number] != nil else { return false }
      contents.begun.insert(number)
      return true
    }
  }

  /// A call has returned.
  func end(_ number: Int) {
    contents.withLock { contents in
      contents.begun.remove(number)
      contents.abandoned.remove(number)
    }
  }

  /// Nobody waits any more, or somebody has the answer.
  func withdraw(_ number: Int) { contents.withLock { $0.waiting[number] = nil } }

  func giveUp() {
    let waiting = contents.withLock { contents in
      contents.abandoned = contents.begun
      return exchange(&contents.waiting, with: [:])
    }
    for tell in waiting.values { tell() }
  }
}
