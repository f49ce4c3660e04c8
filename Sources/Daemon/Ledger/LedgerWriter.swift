import Jobs
import Linux
import SQLite
import Seams
import Synchronization

/// The one writer. It commits in groups, so that all jobs in flight share an fsync. A caller goes on when its own change is on disk.
/// SQLite blocks, so everything runs on the writer's own thread, never on the cooperative pool. The consequences of errors are in
/// `docs/internals/ledger.md`.
final class LedgerWriter: Sendable {
  /// A change of a batch that threw: the batch is rolled back, and run again without it.
  private struct ChangeFailed: Error {
    let index: Int
    let error: any Error
  }

  let pool: DatabasePool
  private let clock: Clock
  let line: WorkLine
  let files: LedgerFiles
  private let observer = Mutex<(any LedgerObserver)?>(nil)
  let inbox = Mutex(LedgerInbox())
  private let heartbeat = Heartbeat()
  private let gathered: SteadySemaphore
  /// The memory, locked through a whole transaction; only the writer's line asks for it.
  private let memory: Mutex<LedgerMemory>
  /// The values that others may read between two commits: the counts, and the number of jobs in flight.
  private let published: Mutex<(counts: LedgerCounts, active: Int)>
  let space: Mutex<Space>

  init(
    pool: DatabasePool, memory: LedgerMemory, files: LedgerFiles, isReserveInUse: Bool, clock: Clock,
    on machine: Machine
  ) throws(FileError) {
    line = try WorkLine(thread: "ledger", on: machine)
    gathered = SteadySemaphore(on: machine)
    self.pool = pool
    self.clock = clock
    self.files = files
    self.published = Mutex((memory.position.counts, memory.active.count))
    self.memory = Mutex(memory)
    space = Mutex(Space(isReserveInUse: isReserveInUse))
    if isReserveInUse || !files.makeReserve() { retryReserve() }
  }

  func observe(_ observer: (any LedgerObserver)?) {
    self.observer.withLock { $0 = observer }
    if observer != nil, space.withLock(\.isReserveInUse) { reportFull("the disk was full at the start") }
  }

  func report(_ error: LedgerError?) {
    if error?.kind == .damaged { files.markSuspect() }
    observer.withLock(\.self)?.writingFailed(error)
  }

  var counts: LedgerCounts { published.withLock { $0.counts } }

  func withCounts<Value>(_ body: (borrowing LedgerCounts) -> Value) -> Value { published.withLock { body($0.counts) } }

  /// Runs a change in the next batch and returns its value once that is durable.
  /// `then` is called with that value too, at once and by the writer itself: for work that must not wait for the caller's
  /// thread.
  func perform<Value: Sendable>(
    _ change: @escaping @Sendable (inout LedgerBatch) throws -> Value,
    then: (@Sendable (Value) -> Void)? = nil
  ) async throws -> Value {
    let result: Result<Value, any Error> = await Waiter.wait { caller in
      submit(
        LedgerChange { batch in
          let value = try change(&batch)
          return {
            then?(value)
            caller.resume(returning: .success(value))
          }
        } refuse: {
          caller.resume(returning: .failure($0))
        })
    }
    return try result.get()
  }

  /// Runs a change in the next batch; nobody waits for it, and only the observer learns of a failure.
  func record(_ change: @escaping @Sendable (inout LedgerBatch) throws -> Void) { submit(.unawaited(change)) }

  /// Does the same for a change that is in no hurry: it shares the commit of other changes, or gets its own after a moment.
  func recordSoon(_ change: @escaping @Sendable (inout LedgerBatch) throws -> Void) {
    let note = LedgerChange.unawaited(change)
    if inbox.withLock({ $0.add(note: note) }) { line.add(after: Self.patience) { self.drain(withNotesAlone: true) } }
  }

  /// Returns when all changes and notes made so far are on disk or refused; a full disk is not waited for any more.
  func close() {
    inbox.withLock { $0.isClosing = true }
    line.runAndWait { self.drain(withNotesAlone: true) }
  }

  private func submit(_ change: LedgerChange) {
    switch inbox.withLock({ $0.add(change) }) {
    case .waits: break
    case .isEnough: gathered.signal()
    case .mustStart: line.add { self.drain(withNotesAlone: false) }
    case .refused(let broken): change.refuse(broken)
    }
  }

  var isStalled: Bool { inbox.withLock { $0.stalled != nil } }

  var isIdle: Bool { inbox.withLock { $0.isIdle } }

  private func drain(withNotesAlone: Bool) {
    while let (changes, notes, isNew) = inbox.withLock({ $0.next(withNotesAlone: withNotesAlone) }) {
      let more = isNew ? linger(after: changes.count) : []
      guard commit(changes + more + notes) else { return }
    }
  }

  private func tryAgain() {
    guard let changes = inbox.withLock({ exchange(&$0.stalled, with: nil) }) else { return }
    if commit(changes) { drain(withNotesAlone: true) }
  }

  /// Waits a moment under load for more changes to share the commit, as PostgreSQL's `commit_delay` does. A commit costs many
  /// times as much as a change, and on a fast disk nearly every change would otherwise get its own. At rest it never waits.
  private func linger(after count: Int) -> [LedgerChange] {
    let active = published.withLock { $0.active }
    guard let patience = inbox.withLock({ $0.gather(beside: count, active: active) }) else { return [] }
    if patience > .zero, !gathered.wait(atMost: patience), !inbox.withLock({ $0.stopGathering() }) {
      // the caller with the last wanted change has signalled, or will: the next wait must not see that signal
      gathered.wait()
    }
    return inbox.withLock { $0.gathered(beside: count) }
  }

  /// The time that notes wait for a change whose commit they share.
  private static let patience: Duration = .milliseconds(50)

  /// The pause before a batch is tried again that found the disk full.
  static let pause: Duration = .seconds(1)

  /// Commits a batch. All callers are answered once it is durable, refused ones too: often another change of the batch causes a refusal.
  /// Returns false if the batch has to be tried again.
  private func commit(_ changes: [LedgerChange]) -> Bool {
    var changes = changes
    var refusals: [@Sendable () -> Void] = []
    var mayHurry = true
    defer { for refuse in refusals { refuse() } }
    while !changes.isEmpty {
      do {
        let replies = try transaction(changes)
        reportSpace()
        for reply in replies { reply() }
        return true
      } catch let failed as ChangeFailed {
        let change = changes.remove(at: failed.index)
        refusals.append { change.refuse(failed.error) }
      } catch let error as SQLiteError where error.isForWantOfSpace {
        do {
          if try mayHurry && makeRoom() || useReserve(error) {
            mayHurry = false
            continue
          }
        } catch {
          end(changes, for: error)
          return true
        }
        if inbox.withLock({ $0.isClosing }) {
          refuse(changes, LedgerError(.full, "no space for the ledger: \(error)"))
          return true
        }
        reportFull("\(error)")
        let rest = changes
        inbox.withLock { $0.stalled = rest }
        line.add(after: Self.pause) { self.tryAgain() }
        return false
      } catch {
        end(changes, for: error)
        return true
      }
    }
    return true
  }

  /// Closes the ledger for good: refuses these changes and all later ones.
  @discardableResult
  func end(_ changes: [LedgerChange] = [], for error: any Error) -> LedgerError {
    let isOfDamage = (error as? SQLiteError)?.isOfDamage ?? false
    let words = isOfDamage ? "the ledger is damaged, or its disk fails" : "the ledger cannot be written"
    let error = LedgerError(isOfDamage ? .damaged : .broken, "\(words): \(error)")
    // Nothing more is committed from here on. The error is reported before anybody hears it.
    let (isFirst, waiting) = inbox.withLock { ($0.broken == nil, $0.end(error)) }
    if isFirst { report(error) }
    for change in changes + waiting { change.refuse(error) }
    return error
  }

  private func refuse(_ changes: [LedgerChange], _ error: LedgerError) {
    for change in changes + inbox.withLock({ $0.end(error) }) { change.refuse(error) }
  }

  private func transaction(_ changes: [LedgerChange]) throws -> [@Sendable () -> Void] {
    let start = clock.steady()
    let (replies, commit) = try pool.write { db in
      try memory.withLock { memory in try run(changes, db, &memory, since: start) }
    }
    Failpoint.ledgerCommitted.pass()
    inbox.withLock { $0.gathering.committed(in: commit.took) }
    observer.withLock(\.self)?.committed(commit)
    return replies
  }

  private func run(
    _ changes: [LedgerChange], _ db: Database, _ memory: inout LedgerMemory, since start: Timestamp
  ) throws -> ([@Sendable () -> Void], Commit) {
    var batch = LedgerBatch(db: db, clock: clock, memory: exchange(&memory, with: LedgerMemory()))
    var replies: [@Sendable () -> Void] = []
    replies.reserveCapacity(changes.count)
    do {
      try db.transaction(.immediate) {
        for (index, change) in changes.enumerated() {
          let before = batch.trace
          do {
            replies.append(try change.run(&batch))
          } catch let error as SQLiteError {
            throw error
          } catch let error where batch.trace == before {
            replies.append { change.refuse(error) }
          } catch {
            throw ChangeFailed(index: index, error: error)
          }
        }
        try batch.close()
        Failpoint.ledgerCommitting.pass()
      }
    } catch {
      memory = batch.rolledBack()
      throw error
    }
    let (events, occurrences, untold) = (batch.events, batch.occurrences, batch.untold)
    assert(replies.count == changes.count, "a caller gets no answer, or two")
    let changed = batch.changedNumbers
    memory = batch.committed()
    let (counts, active) = (memory.position.counts, memory.active.count)
    published.withLock { $0 = (counts, active) }
    let commit = Commit(
      events: events, occurrences: occurrences, untold: untold, changed: changed, counts: counts,
      took: clock.steady() - start)
    return (replies, commit)
  }

  func releaseMemory() { line.add { [pool] in pool.write { $0.releaseMemory() } } }

  func waitNoLonger() { inbox.withLock { $0.isClosing = true } }

  /// Asks the writer's line to respond; returns true if it has responded since the last call. A writer that waits for space
  /// responds too.
  func makesProgress() -> Bool {
    heartbeat.hasCome { line.add { [heartbeat] in heartbeat.beat() } }
  }
}

extension LedgerWriter {
  struct Space {
    /// True from the report of a full disk to the report of its end.
    var isToldFull = false
    /// True after the reserve was given up until it is there again, or commits find space for a while: nothing is admitted meanwhile.
    var isReserveInUse: Bool
    /// The number of looks for space since a commit found none.
    var quietLooks = 0
  }

  func reportFull(_ why: String) {
    let (isNews, isReserveInUse) = space.withLock { space in
      space.quietLooks = 0
      return (!exchange(&space.isToldFull, with: true), space.isReserveInUse)
    }
    guard isNews else { return }
    let use = isReserveInUse ? "; its reserve is in use" : ""
    report(LedgerError(.full, "no space for the ledger: \(why)\(use)"))
  }

  /// Reports that there is space again, if the opposite was reported and nothing waits for it.
  func reportSpace() {
    guard !isStalled else { return }
    let isOver = space.withLock { space in !space.isReserveInUse && exchange(&space.isToldFull, with: false) }
    if isOver { report(nil) }
  }

  /// The pause before a reserve is tried again that had no space at the start.
  private static let longPause: Duration = .seconds(60)

  /// Copies the log of writes into the ledger, so that the next commit begins the log anew. SQLite does so only after commits, so a log
  /// that filled the disk during a long read would stay for ever. The log is not truncated, because an empty log would look like a loss.
  /// Returns true if there is room now.
  func makeRoom() throws -> Bool {
    do {
      return try pool.write { db in try db.copyWriteAheadLog() }
    } catch let error as SQLiteError where error.isBusy || error.isForWantOfSpace {
      return false  // the ledger's file has to grow too
    }
  }

  /// Gives the reserve up, so that the log of writes can be copied into the ledger and begun anew. If the ledger would take more space for
  /// that than there is now, the log grows instead.
  /// Returns true if there is space now.
  func useReserve(_ error: SQLiteError) throws -> Bool {
    let bytes = files.giveUpReserve()
    guard bytes > 0 else { return false }
    space.withLock { $0.isReserveInUse = true }
    reportFull("\(error)")
    let pages: (Int64, Int64) = try pool.write { db in
      (try db.value("PRAGMA page_count") ?? 0, try db.value("PRAGMA page_size") ?? 0)
    }
    if pages.0 * pages.1 - (try files.size(LedgerFiles.name) ?? 0) <= bytes { _ = try makeRoom() }
    retryReserve()
    return true
  }

  /// Tries again and again to make the reserve, until it is there or the ledger is closed.
  func retryReserve() {
    guard !inbox.withLock({ $0.isClosing }) else { return }
    line.add(after: space.withLock(\.isReserveInUse) ? Self.pause : Self.longPause) { [weak self] in
      guard let self else { return }
      // a batch that waits for space comes first
      guard !isStalled else { return retryReserve() }
      let isThere = files.makeReserve()
      space.withLock { space in
        space.quietLooks += 1
        // There may be enough space, even if not for the reserve.
        if isThere || space.quietLooks >= 10 { space.isReserveInUse = false }
      }
      reportSpace()
      if !isThere { retryReserve() }
    }
  }
}
