import Jobs
import Synchronization

/// The attempts in flight, each with the means to cut it.
final class InFlight: Sendable {
  private struct Table {
    var attempts: [JobNumber: Task<AttemptResult, Never>] = [:]
    var isClosed = false
  }

  private let table = Mutex(Table())
  private let executor: any TaskExecutor

  /// Attempts run on this executor.
  init(on executor: any TaskExecutor) { self.executor = executor }

  /// Runs an attempt so that it can be cut by its job's number.
  ///
  /// The task is unstructured only to have a handle; it is awaited here and cancelled with its caller.
  func run(_ job: JobNumber, _ attempt: @escaping @Sendable () async -> AttemptResult) async -> AttemptResult {
    let task = Task(executorPreference: executor) { await attempt() }
    let isClosed = table.withLock { table in
      table.attempts[job] = task
      return table.isClosed
    }
    if isClosed { task.cancel() }
    defer { table.withLock { $0.attempts[job] = nil } }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Cuts the attempt of a job, if one is in flight.
  func cut(_ job: JobNumber) { table.withLock { $0.attempts[job] }?.cancel() }

  /// Cuts all attempts, and those that would still come.
  func cutAll() {
    let tasks = table.withLock { table in
      table.isClosed = true
      return Array(table.attempts.values)
    }
    for task in tasks { task.cancel() }
  }
}
