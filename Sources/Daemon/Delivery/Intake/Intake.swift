import Jobs
import Ledger
package import Spool
import Synchronization

/// Runs the spools: their claims become jobs, their problems become events. A reload may change which spools run.
package final class Intake: Sendable {
  /// An event for the intake's loop.
  private enum News: Sendable {
    case stopped
    case ended(String)
    case changesAreWanted
  }

  /// A change to other spools; `carryOut` is called when the removed spools have ended.
  private struct Change: Sendable {
    let to: [String: SpoolDirectory]
    let carryOut: @Sendable () async throws -> Void
    let done: @Sendable (Result<Void, any Error>) -> Void
  }

  private struct Inbox {
    var changes: [Change] = []
    var isClosed = false
  }

  let pipeline: Pipeline
  let room: IntakeRoom
  let recovery: Recovery
  private let inbox = Mutex(Inbox())
  private let (rings, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  package init(pipeline: Pipeline, room: IntakeRoom, recovery: Recovery) {
    self.pipeline = pipeline
    self.room = room
    self.recovery = recovery
  }

  var ledger: JobLedger { recovery.ledger }
  var stages: Stages { recovery.stages }

  /// Changes to these spools: ends the others, calls `carryOut`, and starts those that are new.
  ///
  /// - Throws: the error of `carryOut`, or `CancellationError` if the intake has ended.
  package func change(
    to directories: [String: SpoolDirectory], carryOut: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let change = Change(to: directories, carryOut: carryOut) { continuation.resume(with: $0) }
      let isClosed = inbox.withLock { inbox in
        if !inbox.isClosed { inbox.changes.append(change) }
        return inbox.isClosed
      }
      if isClosed { change.done(.failure(CancellationError())) }
      ring.yield()
    }
  }

  /// Runs the spools until `stop` returns; `ready` is called once, when all spools of the start are watched.
  ///
  /// - Throws: the error that ends a spool's run: the ledger's, or that of a failed fsync.
  package func run(until stop: @escaping @Sendable () async -> Void, ready: @escaping @Sendable () -> Void) async throws
  {
    let spools = stages.spools
    let unwatched = Unwatched(spools.keys, ready)
    try await withThrowingTaskGroup(of: News.self) { group in
      var running: [String: SpoolRun] = [:]
      defer { close() }
      group.addTask {
        await stop()
        return .stopped
      }
      group.addTask { await self.nextRing() }
      func start(_ name: String, _ spool: SpoolDirectory) {
        let run = SpoolRun(spool)
        running[name] = run
        group.addTask {
          try await self.run(run, unwatched)
          unwatched.remove(name)
          return .ended(name)
        }
      }
      for (name, spool) in spools { start(name, spool) }

      news: while let news = try await group.next() {
        switch news {
        case .stopped: break news
        case .ended(let name): running[name] = nil
        case .changesAreWanted: group.addTask { await self.nextRing() }
        }
        while let change = inbox.withLock({ $0.changes.first }) {
          let leaving = running.filter { $0.value.spool !== change.to[$0.key] }
          for run in leaving.values { run.end() }
          guard leaving.isEmpty else { break }  // goes on when they have ended
          _ = inbox.withLock { $0.changes.removeFirst() }
          do {
            try await change.carryOut()
            for (name, spool) in change.to where running[name] == nil { start(name, spool) }
            change.done(.success(()))
          } catch {
            change.done(.failure(error))
            throw error
          }
        }
      }
      group.cancelAll()
      while let result = await group.nextResult() {
        if case .failure(let error) = result, !(error is CancellationError) { throw error }
      }
    }
  }

  private func nextRing() async -> News {
    for await _ in rings { return .changesAreWanted }
    return .stopped
  }

  /// Refuses the changes that wait, and all later ones.
  private func close() {
    let changes = inbox.withLock { inbox in
      inbox.isClosed = true
      return exchange(&inbox.changes, with: [])
    }
    for change in changes { change.done(.failure(CancellationError())) }
  }

  /// Runs a spool, and meanwhile retries the disposal of files that are still in it.
  private func run(_ run: SpoolRun, _ unwatched: Unwatched) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        try await run.spool.run(NamedIntake(intake: self, spool: run.spool.options.name, unwatched: unwatched))
      }
      tasks.addTask { try await self.recovery.disposals.retryAtRescans(of: run.spool) }
      tasks.addTask { await run.untilItEnds() }
      while let result = await tasks.nextResult() {
        tasks.cancelAll()
        if case .failure(let error) = result, !(error is CancellationError) { throw error }
      }
    }
  }
}

/// A spool that runs, and that can be ended.
private final class SpoolRun: Sendable {
  let spool: SpoolDirectory
  private let (ends, ending) = AsyncStream.makeStream(of: Void.self)

  init(_ spool: SpoolDirectory) { self.spool = spool }

  func end() { ending.finish() }

  func untilItEnds() async { for await _ in ends {} }
}

/// The spools that are not watched yet.
final class Unwatched: Sendable {
  private let names: Mutex<Set<String>>
  private let ready: @Sendable () -> Void

  init(_ names: some Sequence<String>, _ ready: @escaping @Sendable () -> Void) {
    self.names = Mutex(Set(names))
    self.ready = ready
  }

  func remove(_ name: String) {
    let isLast = names.withLock { names in
      guard names.remove(name) != nil else { return false }
      return names.isEmpty
    }
    if isLast { ready() }
  }
}
