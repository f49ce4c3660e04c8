import Jobs
import Ledger
import Spool
import Synchronization

/// Runs the spools: their claims become jobs, their problems events.
struct Intake: Sendable {
  let ledger: JobLedger
  let pipeline: Pipeline
  let room: IntakeRoom
  let admissions: Admissions
  let recovery: Recovery
  let journal: JournalReader
  let trouble: SpoolTrouble

  /// Runs all spools until `stop` returns; `ready` is called once, when all of them are watched.
  ///
  /// - Throws: what ends a spool's run: the ledger's error, or a failed fsync.
  func run(
    _ spools: [String: SpoolDirectory], until stop: @escaping @Sendable () async -> Void,
    ready: @escaping @Sendable () -> Void
  ) async throws {
    let unwatched = Unwatched(spools.keys, ready)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        await stop()
        return true
      }
      for (name, spool) in spools {
        group.addTask {
          do {
            try await spool.run(ends(of: name, unwatched))
          } catch is CancellationError {
            // asked to stop
          }
          return false
        }
      }
      while let isStopped = try await group.next() {
        if isStopped { break }
      }
      group.cancelAll()
    }
  }

  private func isFree(_ id: JobID) async -> Bool {
    do {
      return try await ledger.job(.id(id)) == nil
    } catch {
      journal.error("the id that a file asks for is not used: \(error)")
      return false
    }
  }

  private func ends(of spool: String, _ unwatched: Unwatched) -> SpoolDirectory.Intake {
    SpoolDirectory.Intake(
      room: { await room.wait(spool) },
      isFree: { await isFree($0) },
      admit: {
        try await pipeline.admit(admissions.make($0, spool: spool))
        room.used(by: spool)
      },
      returned: { try await recovery.adopt($0, of: spool) },
      problem: { trouble.note($0) },
      watching: { unwatched.remove(spool) },
      resting: { room.rest(spool) })
  }
}

/// The spools that are not watched yet.
private final class Unwatched: Sendable {
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
