import Dispatch
import GRDB
import Jobs
import Synchronization

/// The one writer. Changes that arrive while a commit is under way are committed together with the next one, so that
/// an fsync is shared by all jobs in flight; a caller goes on when its own change is on disk.
///
/// SQLite blocks, so all of it runs on a queue of its own, never on the cooperative pool.
final class LedgerWriter: Sendable {
  /// One caller's change. `run` may be called again where a commit is tried again; one of `run`'s reply and `refuse` is
  /// called once in the end.
  private struct Change: Sendable {
    let run: @Sendable (inout LedgerBatch) throws -> @Sendable () -> Void
    let refuse: @Sendable (LedgerError) -> Void
  }

  private let pool: DatabasePool
  private let clock: Clock
  private let queue = DispatchQueue(label: "waybill.ledger", qos: .userInitiated)
  private let onCommit: @Sendable (Commit) -> Void
  private let onProblem: @Sendable (LedgerError?) -> Void
  private let inbox = Mutex(Inbox())
  private let memory: Mutex<LedgerMemory>

  private struct Inbox {
    var changes: [Change] = []
    var isDraining = false
    var broken: LedgerError?
  }

  init(
    pool: DatabasePool, memory: LedgerMemory, clock: Clock, onCommit: @escaping @Sendable (Commit) -> Void,
    onProblem: @escaping @Sendable (LedgerError?) -> Void
  ) {
    self.pool = pool
    self.clock = clock
    self.onCommit = onCommit
    self.onProblem = onProblem
    self.memory = Mutex(memory)
  }

  var counts: LedgerCounts { memory.withLock { $0.counts } }

  /// Runs a change in the next batch and returns its value once that is durable.
  ///
  /// - Throws: what the change itself throws (nothing of it is kept), or ``LedgerError``.
  func perform<Value: Sendable>(_ change: @escaping @Sendable (inout LedgerBatch) throws -> Value) async throws -> Value
  {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
      submit(
        Change { batch in
          let result: Result<Value, any Error>
          do {
            result = .success(try change(&batch))
          } catch let error as DatabaseError {
            throw error  // the whole batch is lost with it
          } catch {
            result = .failure(error)
          }
          return { continuation.resume(with: result) }
        } refuse: {
          continuation.resume(throwing: $0)
        })
    }
  }

  /// Runs a change in the next batch; nobody waits for it, and its end is only of interest to `onProblem`.
  func note(_ change: @escaping @Sendable (inout LedgerBatch) throws -> Void) {
    submit(
      Change { batch in
        try change(&batch)
        return {}
      } refuse: { _ in
      })
  }

  private func submit(_ change: Change) {
    let (start, broken) = inbox.withLock { inbox -> (Bool, LedgerError?) in
      if let broken = inbox.broken { return (false, broken) }
      inbox.changes.append(change)
      defer { inbox.isDraining = true }
      return (!inbox.isDraining, nil)
    }
    if let broken { change.refuse(broken) }
    if start { queue.async { self.drain() } }
  }

  private func drain() {
    while true {
      let changes = inbox.withLock { inbox -> [Change] in
        if inbox.changes.isEmpty { inbox.isDraining = false }
        return exchange(&inbox.changes, with: [])
      }
      if changes.isEmpty { return }
      commit(changes)
    }
  }

  /// Commits a batch. A full disk is waited for: the results stay in memory and the same commit is tried again. After
  /// any other error the ledger is closed for good: an fsync that failed is never retried as if it had not.
  private func commit(_ changes: [Change]) {
    var wasFull = false
    while true {
      do {
        let replies = try transaction(changes)
        if wasFull { onProblem(nil) }
        for reply in replies { reply() }
        return
      } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
        if !wasFull { onProblem(LedgerError(.full, "no space for the ledger: \(error)")) }
        wasFull = true
        pause()
      } catch {
        close(LedgerError(.broken, "the ledger cannot be written: \(error)"), changes)
        return
      }
    }
  }

  private func transaction(_ changes: [Change]) throws -> [@Sendable () -> Void] {
    try pool.writeWithoutTransaction { db in
      let before = memory.withLock { $0 }
      var batch = LedgerBatch(db: db, clock: clock, memory: before)
      var replies: [@Sendable () -> Void] = []
      replies.reserveCapacity(changes.count)
      try db.inTransaction(.immediate) {
        for change in changes { replies.append(try change.run(&batch)) }
        try batch.close()
        return .commit
      }
      memory.withLock { $0 = batch.memory }
      onCommit(Commit(events: batch.events, counts: batch.memory.counts))
      return replies
    }
  }

  /// Waits on the writer's own queue, where nothing else could go on anyway.
  private func pause() {
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(1))
  }

  private func close(_ error: LedgerError, _ changes: [Change]) {
    let waiting = inbox.withLock { inbox -> [Change] in
      inbox.broken = error
      inbox.isDraining = false
      return exchange(&inbox.changes, with: [])
    }
    onProblem(error)
    for change in changes + waiting { change.refuse(error) }
  }
}
