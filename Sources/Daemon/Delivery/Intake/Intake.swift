import Jobs
import Ledger
import Reports
import Settings
package import Spool
import Synchronization

/// Runs the spools: their claims become jobs, their problems become events. A reload may change which spools run.
package final class Intake: Sendable {
  private enum News: Sendable {
    case stopped
    case ended(String)
    case changesAreWanted
  }

  /// A change to other spools; `carryOut` is called once the removed ones have ended.
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
  /// The spools of the start that are not watched yet.
  private let unwatched: Mutex<Set<String>> = Mutex([])
  private let (rings, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  package init(pipeline: Pipeline, room: IntakeRoom, recovery: Recovery) {
    self.pipeline = pipeline
    self.room = room
    self.recovery = recovery
  }

  var ledger: JobLedger { recovery.ledger }
  var stages: Stages { recovery.stages }

  /// Changes to these spools: ends the others, calls `carryOut`, and starts those that are new.
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
  /// - Throws: the error that ends a spool's run: the ledger's, or that of a failed fsync.
  package func run(until stop: @escaping @Sendable () async -> Void, ready: @escaping @Sendable () -> Void) async throws
  {
    let spools = stages.spools
    unwatched.withLock { $0 = Set(spools.keys) }
    let isWatched: @Sendable (String) -> Void = { [self] name in
      if unwatched.withLock({ $0.remove(name) != nil && $0.isEmpty }) { ready() }
    }
    try await withThrowingTaskGroup(of: News.self) { tasks in
      var running: [String: SpoolRun] = [:]
      defer { close() }
      tasks.addTask {
        await stop()
        return .stopped
      }
      tasks.addTask { await self.nextRing() }
      func start(_ name: String, _ spool: SpoolDirectory) {
        let run = SpoolRun(spool, self, isWatched)
        running[name] = run
        tasks.addTask {
          try await self.run(run)
          isWatched(name)
          return .ended(name)
        }
      }
      for (name, spool) in spools { start(name, spool) }

      news: while let news = try await tasks.next() {
        switch news {
        case .stopped: break news
        case .ended(let name): running[name] = nil
        case .changesAreWanted: tasks.addTask { await self.nextRing() }
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
      tasks.cancelAll()
      while let result = await tasks.nextResult() {
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
  private func run(_ run: SpoolRun) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await run.spool.run(run) }
      tasks.addTask { try await self.recovery.disposals.retryAtRescans(of: run.spool) }
      tasks.addTask { await run.untilItEnds() }
      while let result = await tasks.nextResult() {
        tasks.cancelAll()
        if case .failure(let error) = result, !(error is CancellationError) { throw error }
      }
    }
  }
}

/// A spool that runs, and that can be ended: the files that it claims become jobs, its problems events.
private final class SpoolRun: SpoolIntake {
  let spool: SpoolDirectory
  private let name: String
  private let intake: Intake
  private let whenWatched: @Sendable (String) -> Void
  private let (ends, ending) = AsyncStream.makeStream(of: Void.self)

  init(_ spool: SpoolDirectory, _ intake: Intake, _ whenWatched: @escaping @Sendable (String) -> Void) {
    self.spool = spool
    self.intake = intake
    self.whenWatched = whenWatched
    name = spool.options.name
  }

  func end() { ending.finish() }

  func untilItEnds() async { for await _ in ends {} }

  func room() async -> Int { await intake.room.wait(name) }

  func stopWaiting() { intake.room.stopWaiting(name) }

  func isFree(_ id: JobID) async -> Bool {
    do {
      return try await intake.ledger.isFree(id, history: intake.stages.configuration.daemon.history)
    } catch {
      intake.recovery.journal.error("the id that a file asks for is not used: \(error)")
      return false
    }
  }

  func admit(_ claims: [Claim]) async throws {
    try await intake.pipeline.admit(intake.stages.prepareAdmissions(of: claims, in: name))
  }

  func adopt(_ claims: [Claim]) async throws { try await intake.recovery.adopt(claims, of: name) }

  func adoptAll(_ claims: Batches<ClaimListing>) async throws { try await intake.recovery.adoptAll(claims, of: name) }

  func isWatched() { whenWatched(name) }

  func report(_ problem: SpoolProblem) { intake.stages.trouble.report(problem) }

  func reportEnd(of cause: SpoolProblem.Cause, _ code: Int32?) {
    intake.stages.trouble.reportEnd(of: cause, code, in: name)
  }

  func begin(_ source: KeptSource) async throws -> String {
    let stages = intake.stages
    let configured = Set(stages.spools.filter { $0.value.options.keepsFiles }.keys)
    // Without its part the spool has left the configuration, and this run ends.
    guard let route = stages.parts[name]?.route else { return intake.ledger.identity.uuid }
    let ledger = try await intake.ledger.begin(source, of: name, route) { configured.contains($0) }
    try await intake.ledger.makeDueWithMedium(of: name)
    intake.pipeline.wake()
    return ledger
  }

  func standing(of files: [KeptFile]) async throws -> [KeptStanding] {
    guard let part = intake.stages.parts[name] else { return files.map { _ in .new } }
    return try await intake.ledger.standing(of: files, in: name, part.route, options: part.options)
  }

  func scannedAll() async throws {
    guard let part = intake.stages.parts[name] else { return }
    try await intake.ledger.forgetAbsentFiles(of: name, part.route, most: part.options.keepFiles)
  }

  func asking(for sidecars: Set<FileName>) async throws -> [ClaimReference] {
    guard let pattern = spool.options.sidecar else { return [] }
    return try await intake.ledger.asking(for: sidecars, pattern, in: name).map(\.ticket.claim)
  }

  func withoutJob(_ ids: [JobID]) async throws -> [JobID] { try await intake.ledger.withoutJob(ids) }
}
