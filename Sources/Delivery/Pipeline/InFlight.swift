import Jobs
import Synchronization

/// The tasks in flight, each of which can be cut.
final class InFlight<Result: Sendable>: Sendable {
  private struct Table {
    /// By the turn in which they began: one that was cut may still be ending when the next of the same job begins.
    var tasks: [Int: (job: JobNumber, destination: String, spool: String, task: Task<Result, Never>)] = [:]
    var lastTurn = 0
    var isClosed = false
  }

  private let table = Mutex(Table())
  private let executor: any TaskExecutor

  /// All of it runs on this executor.
  init(on executor: any TaskExecutor) { self.executor = executor }

  /// Runs something so that it can be cut by its job's number.
  ///
  /// The task is unstructured only to have a handle; it is awaited here and cancelled with its caller.
  func run(
    _ job: JobNumber, of spool: String, at destination: String, _ body: @escaping @Sendable () async -> Result
  ) async -> Result {
    let task = Task(executorPreference: executor) { await body() }
    let (turn, isClosed) = table.withLock { table in
      table.lastTurn += 1
      table.tasks[table.lastTurn] = (job, destination, spool, task)
      return (table.lastTurn, table.isClosed)
    }
    if isClosed { task.cancel() }
    defer { table.withLock { $0.tasks[turn] = nil } }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// The number of tasks in flight.
  var count: Int { table.withLock { $0.tasks.count } }

  /// Cuts what is in flight of a job, if anything.
  func cut(_ job: JobNumber) {
    for task in tasks(of: job) { task.cancel() }
  }

  /// Cuts what is in flight of a spool's jobs.
  func cut(spool: String) {
    let tasks = table.withLock { table in table.tasks.values.filter { $0.spool == spool }.map(\.task) }
    for task in tasks { task.cancel() }
  }

  /// Cuts what is in flight of a job at one destination, and waits for its end.
  func cutAndWait(_ job: JobNumber, at destination: String) async {
    for task in tasks(of: job, at: destination) {
      task.cancel()
      _ = await task.value
    }
  }

  private func tasks(of job: JobNumber, at destination: String? = nil) -> [Task<Result, Never>] {
    table.withLock { table in
      table.tasks.values.filter { $0.job == job && (destination == nil || $0.destination == destination) }.map(\.task)
    }
  }

  /// Cuts all, and what would still come.
  func cutAll() {
    let tasks = table.withLock { table in
      table.isClosed = true
      return table.tasks.values.map(\.task)
    }
    for task in tasks { task.cancel() }
  }
}
